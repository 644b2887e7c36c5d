"""A fake engine that misbehaves as its first argument says; for the tests of the runner. Run as a program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time


def reply(request: dict[str, object], kind: str, **more: object) -> None:
    print(json.dumps({"seq": request["seq"], "reply": kind, **more}), flush=True)


def behave(request: dict[str, object]) -> None:
    """What every engine does that has not yet misbehaved; it finds nothing."""
    match request["request"]:
        case "hello":
            reply(request, "hello", protocol=1, name="hostile", version="1", features=[])
        case "load":
            reply(request, "ok")
        case "run":
            reply(request, "matches", matches=[])
        case "bye":
            reply(request, "bye")


def misbehave(mode: str, request: dict[str, object]) -> None:
    """What happens at the first `run`."""
    match mode:
        case "crash":
            print("about to crash", file=sys.stderr, flush=True)
            os._exit(7)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(3600)
        case "busy":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass
        case "garbage":
            sys.stdout.buffer.write(b"\x00\xff garbage \x80\n" * 1000)
            sys.stdout.buffer.flush()
        case "not-json":
            print("Welcome to the engine!", flush=True)
        case "not-an-object":
            print("[1, 2]", flush=True)
        case "deep":
            print("[" * 500_000, flush=True)
        case "wrong-types":
            reply(request, "matches", matches="none")
        case "huge-number":
            print('{"seq": ' + "9" * 100_000 + "}", flush=True)
        case "gigabyte":
            block = b"x" * 2**20
            for _ in range(2**10):
                sys.stdout.buffer.write(block)
            sys.stdout.buffer.write(b"\n")
            sys.stdout.buffer.flush()
        case "gigabyte-stderr":
            block = b"y" * 2**20
            for _ in range(2**10):
                sys.stderr.buffer.write(block)
            behave(request)
        case "close-stdin":
            os.close(0)
            time.sleep(3600)
        case "close-stdout":
            os.close(1)
            time.sleep(3600)
        case "wrong-seq":
            print(json.dumps({"seq": 99, "reply": "matches", "matches": []}), flush=True)
        case "twice":
            behave(request)
            behave(request)
        case "wrong-reply":
            reply(request, "ok")
        case "drip":
            while True:
                sys.stdout.write("{")
                sys.stdout.flush()
                time.sleep(0.05)
        case "spurious":
            matches = [{"rule": "R", "bindings": {"a": f"x{n}"}, "emits": []} for n in range(100)]
            reply(request, "matches", matches=matches)
        case "nonsense":
            odd: list[dict[str, object]] = [{}, {"rule": 3}, {"emits": 7}, {"emits": [3, {"attributes": 4}]}]
            reply(request, "matches", matches=odd)
        case "surrogates":
            print(f'{{"seq": {request["seq"]}, "reply": "error", "message": "\\ud800"}}', flush=True)
        case "forks":
            for _ in range(3):
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
            behave(request)
        case "daemons":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
            os._exit(0)
        case _:
            behave(request)


def main() -> None:
    mode = sys.argv[1]
    if mode == "crash-at-start":
        sys.exit("cannot find my configuration")
    if mode == "hang-at-start":
        time.sleep(3600)
    if mode == "chatty-at-start":
        print("Starting engine…", flush=True)
    if mode == "never-reads":
        time.sleep(3600)
    first = True
    for line in sys.stdin:
        request = json.loads(line)
        if mode == "old-protocol" and request["request"] == "hello":
            reply(request, "hello", protocol=0, name="old", version="0")
        elif request["request"] == "bye" and mode == "ignores-bye":
            time.sleep(3600)
        elif request["request"] == "run" and first:
            first = False
            misbehave(mode, request)
        elif request["request"] == "load" and mode == "stops-reading":
            behave(request)
            time.sleep(3600)
        else:
            behave(request)


if __name__ == "__main__":
    main()
