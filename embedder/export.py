"""Makes the default embedder's model file from the published weights of all-MiniLM-L6-v2, without torch.

    python embedder/export.py model.safetensors FOLDER         (needs numpy, onnx and onnxruntime)

The graph takes `input_ids` and `attention_mask` (int64, batch x tokens) and gives `token_embeddings` (float32,
batch x tokens x 384, the last hidden state) and `sentence_embedding` (float32, batch x 384: their mean, of length 1).
Weights become int8, one scale a channel; attention and Gelu are onnxruntime's fused operators.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

SOURCE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSION = 384
LAYERS = 6
HEADS = 12
FUSED = "com.microsoft"

Weights = Mapping[str, NDArray[np.float32]]


class Entry(TypedDict):
    """Where a safetensors file keeps a tensor: bytes counted from the end of the header."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_weights(path: Path) -> Weights:
    """Return the float32 tensors of a safetensors file by name; any but the published file is refused."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SOURCE_SHA256:
        raise SystemExit(f"{path} is not the published weights: its sha256 is not {SOURCE_SHA256}.")
    body = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Entry] = json.loads(content[8:body])
    weights = {}
    for name, tensor in header.items():
        if tensor.get("dtype") == "F32":
            start, end = tensor["data_offsets"]
            flat = np.frombuffer(content[body + start : body + end], dtype="<f4")
            weights[name] = flat.reshape(tensor["shape"])
    return weights


@dataclass
class Network:
    """A graph under construction; each method adds nodes and returns the name of what they give."""

    weights: Weights
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def hold(self, name: str, value: NDArray[np.generic]) -> str:
        """Add a constant."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def apply(self, operator: str, inputs: list[str], output: str, **attributes: str | int | float) -> str:
        """Add one operator."""
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def project(self, inputs: str, key: str, output: str) -> str:
        """Multiply by a weight matrix and add its bias."""
        matrix = self.hold(f"{key}.w", self.weights[f"{key}.weight"].T)
        product = self.apply("MatMul", [inputs, matrix], f"{output}_product")
        return self.apply("Add", [product, self.hold(f"{key}.b", self.weights[f"{key}.bias"])], output)

    def normalise(self, inputs: str, key: str, output: str) -> str:
        """Apply a layer normalisation."""
        gain = self.hold(f"{key}.g", self.weights[f"{key}.weight"])
        bias = self.hold(f"{key}.b", self.weights[f"{key}.bias"])
        return self.apply("LayerNormalization", [inputs, gain, bias], output, axis=-1, epsilon=1e-12)

    def look_up(self) -> str:
        """Add the embeddings of words and places; each token is of the first (only) segment."""
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        self.hold("words", self.weights["embeddings.word_embeddings.weight"])
        self.hold("places", self.weights["embeddings.position_embeddings.weight"] + segment)
        self.hold("zero", np.array([0], dtype=np.int64))
        self.hold("one", np.array([1], dtype=np.int64))
        self.hold("last", np.array([-1], dtype=np.int64))
        self.hold("tiny", np.array(1e-9, dtype=np.float32))
        self.apply("Gather", ["words", "input_ids"], "word")
        self.apply("Shape", ["input_ids"], "length", start=1, end=2)
        self.apply("Slice", ["places", "zero", "length", "zero"], "place")
        self.apply("Add", ["word", "place"], "sum0")
        self.apply("Cast", ["attention_mask"], "mask_int", to=TensorProto.INT32)
        self.apply("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
        return self.normalise("sum0", "embeddings.LayerNorm", "x0")

    def transform(self, hidden: str, layer: int, output: str) -> str:
        """Add one layer: attention, then the two projections with Gelu between them."""
        key = f"encoder.layer.{layer}"
        parts = [
            self.project(hidden, f"{key}.attention.self.{part}", f"{part}{layer}") for part in ("query", "key", "value")
        ]
        heads = [*parts, "", "mask_int"]
        self.apply("MultiHeadAttention", heads, f"attended{layer}", domain=FUSED, num_heads=HEADS)
        mixed = self.project(f"attended{layer}", f"{key}.attention.output.dense", f"mixed{layer}")
        self.apply("Add", [mixed, hidden], f"sum_a{layer}")
        middle = self.normalise(f"sum_a{layer}", f"{key}.attention.output.LayerNorm", f"x_a{layer}")
        wide = self.project(middle, f"{key}.intermediate.dense", f"wide{layer}")
        self.apply("Gelu", [wide], f"gelu{layer}", domain=FUSED)
        narrow = self.project(f"gelu{layer}", f"{key}.output.dense", f"narrow{layer}")
        self.apply("Add", [narrow, middle], f"sum_b{layer}")
        return self.normalise(f"sum_b{layer}", f"{key}.output.LayerNorm", output)

    def pool(self, hidden: str) -> str:
        """Take the mean over the tokens that the mask keeps, and bring it to length 1."""
        self.apply("Unsqueeze", ["mask", "last"], "mask3")
        self.apply("Mul", [hidden, "mask3"], "kept")
        self.apply("ReduceSum", ["kept", "one"], "total", keepdims=0)
        self.apply("ReduceSum", ["mask", "one"], "count", keepdims=1)
        self.apply("Max", ["count", "tiny"], "count_safe")
        self.apply("Div", ["total", "count_safe"], "mean")
        self.apply("ReduceL2", ["mean", "last"], "length2", keepdims=1)
        self.apply("Max", ["length2", "tiny"], "length_safe")
        return self.apply("Div", ["mean", "length_safe"], "sentence_embedding")


def build_model(weights: Weights) -> onnx.ModelProto:
    """Return the float32 model."""
    network = Network(weights)
    hidden = network.look_up()
    for layer in range(LAYERS):
        hidden = network.transform(hidden, layer, "token_embeddings" if layer == LAYERS - 1 else f"x_b{layer}")
    network.pool(hidden)
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    made = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", DIMENSION]),
        helper.make_tensor_value_info("token_embeddings", TensorProto.FLOAT, ["batch", "tokens", DIMENSION]),
    ]
    graph = helper.make_graph(network.nodes, "all-MiniLM-L6-v2", given, made, network.constants)
    operators = [helper.make_opsetid("", 18), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, ir_version=9, opset_imports=operators)


def export(source: Path, folder: Path) -> Path:
    """Write the int8 model file into the folder and return its path."""
    full, small = (folder / f"all-MiniLM-L6-v2-{kind}.onnx" for kind in ("float32", "int8"))
    onnx.save(build_model(read_weights(source)), full)
    quantize_dynamic(
        full,
        small,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Gather"],
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    full.unlink()
    return small


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    written = export(Path(sys.argv[1]), Path(sys.argv[2]))
    print(written, hashlib.sha256(written.read_bytes()).hexdigest())
