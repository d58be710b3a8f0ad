"""Measures what is found: BM25, the vectors, both fused, and the final order with the sentences.

    python benchmarks/retrieval.py --corpus corpus.jsonl --queries queries.jsonl --qrels qrels.tsv
        [--store DIR] [--json OUT]
    python benchmarks/retrieval.py --corpus seeds --queries questions.jsonl [--store DIR] [--json OUT]

The first form reads records with id, title and abstract, queries with id and text, and judgements as lines of
query id, paper id and grade. The second reads questions as `assistant eval` does: the answerable ones count, with
the conversation before them. A store is built once in --store and used again.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant import Assistant
from assistant.answering.standalone import make_standalone
from assistant.domain import Progress
from assistant.evaluation.questions import read_questions
from assistant.ports import Hit

STAGES = {"bm25": "lexical", "dense": "dense", "fused": "fused", "final": "final"}
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the grades of the papers that answer it; any other paper has grade 0."""

    id: str
    text: str
    grades: Mapping[str, int]


def read_queries(queries: Path, qrels: Path | None) -> tuple[Query, ...]:
    """Return the queries that have a judged paper."""
    if qrels is None:
        return tuple(
            Query(asked.id, make_standalone(asked.question, asked.history), dict.fromkeys(asked.papers, 1))
            for asked in read_questions(queries)
            if asked.answerable
        )
    grades: dict[str, dict[str, int]] = {}
    for line in qrels.read_text(encoding="utf-8").splitlines():
        query_id, paper_id, grade = line.split("\t")[-3:]
        if grade.lstrip("-").isdigit() and int(grade) > 0:
            grades.setdefault(query_id, {})[paper_id] = int(grade)
    rows = [json.loads(line) for line in queries.read_text(encoding="utf-8").splitlines() if line.strip()]
    return tuple(Query(str(row["id"]), row["text"], grades[str(row["id"])]) for row in rows if str(row["id"]) in grades)


def measure_gain(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Return nDCG at k."""
    gain = sum(grades.get(id, 0) / math.log2(place + 2) for place, id in enumerate(ranked[:k]))
    best = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:k]))
    return gain / best


def measure_recall(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Return the share of the judged papers among the first k."""
    return sum(id in grades for id in ranked[:k]) / len(grades)


def measure_rank(ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return one over the place of the first judged paper, 0 if none was found."""
    return next((1 / place for place, id in enumerate(ranked, 1) if id in grades), 0.0)


METRICS: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "ndcg@10": measure_gain,
    "recall@5": lambda ranked, grades: measure_recall(ranked, grades, 5),
    "recall@10": lambda ranked, grades: measure_recall(ranked, grades, 10),
    "recall@100": lambda ranked, grades: measure_recall(ranked, grades, 100),
    "mrr": measure_rank,
    "hit@1": lambda ranked, grades: float(bool(ranked) and ranked[0] in grades),
}

Scores = dict[str, dict[str, list[float]]]
"""For each stage and metric, one number a query."""


def run_queries(assistant: Assistant, queries: Iterable[Query]) -> Scores:
    """Return what each stage finds, by each metric, query by query."""
    scores: Scores = {stage: {metric: [] for metric in METRICS} for stage in STAGES}
    for query in queries:
        ranking = assistant.rank(query.text)
        for stage, name in STAGES.items():
            hits: tuple[Hit, ...] = getattr(ranking, name)
            ranked = [hit.paper_id for hit in hits]
            for metric, measure in METRICS.items():
                scores[stage][metric].append(measure(ranked, query.grades))
    return scores


def bootstrap(better: Sequence[float], worse: Sequence[float]) -> tuple[float, float]:
    """Return the mean difference of paired scores, and how likely one of its sign or none is chance (two-sided)."""
    differences = np.asarray(better) - np.asarray(worse)
    random = np.random.default_rng(0)
    draws = random.integers(0, len(differences), (RESAMPLES, len(differences)))
    means = differences[draws].mean(axis=1)
    chance = 2 * min(float((means <= 0).mean()), float((means >= 0).mean()))
    return float(differences.mean()), min(1.0, chance)


def print_results(scores: Scores, count: int) -> None:
    """Print a table of the means, and how sure the differences to the final order are."""
    print(f"{count} queries")
    print(f"{'stage':8}" + "".join(f"{metric:>12}" for metric in METRICS))
    for stage, by_metric in scores.items():
        print(f"{stage:8}" + "".join(f"{np.mean(by_metric[metric]):12.3f}" for metric in METRICS))
    for stage in [stage for stage in STAGES if stage != "final"]:
        gain, chance = bootstrap(scores["final"]["ndcg@10"], scores[stage]["ndcg@10"])
        print(f"final - {stage:6} nDCG@10 {gain:+.3f}, p = {chance:.4f} (paired bootstrap, two-sided)")


def index(assistant: Assistant, corpus: Path) -> None:
    """Put what is not there yet into the store."""

    def show(progress: Progress) -> None:
        print(f"\r{progress.phase}: {progress.done} of {progress.total}", end="", file=sys.stderr, flush=True)

    report = assistant.index([corpus], show)
    print(f"\n{report.read} records: {report.new} new, {report.same} same, {report.merged} merged", file=sys.stderr)


def main() -> None:
    """Build the store where there is none, measure, print, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="a file or folder that `assistant index` reads")
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--qrels", type=Path, help="judgements; none: --queries is a file of questions")
    parser.add_argument("--store", type=Path, help="the store to use, built where it is not; else a temporary one")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    queries = read_queries(given.queries, given.qrels)
    with tempfile.TemporaryDirectory() as folder, Assistant(store=given.store or Path(folder) / "store") as assistant:
        index(assistant, given.corpus)
        scores = run_queries(assistant, queries)
    print_results(scores, len(queries))
    if given.json:
        means = {
            stage: {metric: float(np.mean(values)) for metric, values in by_metric.items()}
            for stage, by_metric in scores.items()
        }
        given.json.write_text(json.dumps(means, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
