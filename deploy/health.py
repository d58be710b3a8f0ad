"""Says by its exit code whether the server on this machine answers: what a container's health check runs.

python health.py [PORT]
"""

import os
import sys
from urllib.request import Request, urlopen

port = sys.argv[1] if len(sys.argv) > 1 else "7860"
token = os.environ.get("ASSISTANT_TOKEN", "")
request = Request(f"http://127.0.0.1:{port}/api/health", headers={"Authorization": f"Bearer {token}"})
try:
    with urlopen(request, timeout=4):
        pass
except OSError as error:
    sys.exit(f"The server does not answer: {error}")
