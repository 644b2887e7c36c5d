"""An engine of protocol 1, to the letter: what that version did not have is an error. Run as a program.

Behind it is the sound machine.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO

from parte.conformance.engines.server import serve
from parte.conformance.partelang.engines.reference import ReferenceEngine

KEYS = {
    "hello": {"protocol", "suite"},
    "load": {"program", "domain", "deployment"},
    "run": {"trace"},
    "feed": {"trace"},
    "advance": set[str](),
    "bye": set[str](),
}

if __name__ == "__main__":
    engine = ReferenceEngine()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        known = request.keys() == {"seq", "request"} | KEYS[request["request"]] and request.get("protocol", 1) == 1
        if known:
            replies = BytesIO()
            serve(engine, BytesIO(line), replies, sys.stderr.buffer)
            answer = replies.getvalue().decode()
        else:
            answer = json.dumps({"seq": request["seq"], "reply": "error", "message": "this is protocol 1"}) + "\n"
        assert "languages" not in json.loads(answer)
        print(answer, end="", flush=True)
        if request["request"] == "bye":
            break
