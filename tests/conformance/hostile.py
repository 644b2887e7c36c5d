"""A fake engine that misbehaves as its first argument says; for the tests of the runner. Run as a program."""

from __future__ import annotations

import json
import os
import resource
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


def stay() -> None:
    """Live on, whatever the signal, as long as one can."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(3600)


def line(text: bytes) -> None:
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def misbehave(mode: str, request: dict[str, object]) -> None:
    """What happens at the first `run`."""
    seq = request["seq"]
    match mode:
        case "ignores-signals":
            stay()
        case "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "grandchild-holds-the-pipes":
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    stay()
            os._exit(3)
        case "hydra":
            if os.fork() == 0:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline:  # whoever looks sees another process each time
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                    time.sleep(0.01)
            behave(request)
        case "floods-both":
            block = b"z" * 2**16
            while True:
                os.write(1, block)
                os.write(2, block)
        case "half-a-line":
            os.write(1, b'{"seq": 3, "reply": "matc')
            os._exit(0)
        case "never-ends-its-line":
            os.write(1, b'{"seq": 3}')
            time.sleep(3600)
        case "seq-as-text":
            line(b'{"seq": "3", "reply": "matches", "matches": []}')
        case "seq-true":
            line(b'{"seq": true, "reply": "matches", "matches": []}')
        case "seq-missing":
            line(b'{"reply": "matches", "matches": []}')
        case "seq-of-the-last":
            line(b'{"seq": 2, "reply": "matches", "matches": []}')
        case "seq-twice":
            line(f'{{"seq": 1, "seq": {seq}, "reply": "matches", "matches": []}}'.encode())
        case "second-reply-late":
            behave(request)
            time.sleep(0.3)
            behave(request)
        case "second-reply-at-once":
            text = json.dumps({"seq": seq, "reply": "matches", "matches": []}).encode()
            line(text + b"\n" + text)
        case "empty-lines":
            line(b"\n")
        case "not-a-number":
            line(f'{{"seq": {seq}, "reply": "matches", "matches": [{{"k": NaN}}]}}'.encode())
        case "nul":
            line(f'{{"seq": {seq}, "reply": "matches",\0 "matches": []}}'.encode())
        case "bytes-that-are-no-text":
            line(f'{{"seq": {seq}, "reply": "error", "message": "'.encode() + b"\xc3\x28\xf5" + b'"}')
        case "nested":
            deep = b'{"k":' * 900 + b"1" + b"}" * 900
            line(f'{{"seq": {seq}, "reply": "matches", "matches": ['.encode() + deep + b"]}")
        case "millions":
            line(f'{{"seq": {seq}, "reply": "matches", "matches": [{{}}'.encode() + b",{}" * 5_400_000 + b"]}")
        case "too-many-matches":
            line(f'{{"seq": {seq}, "reply": "matches", "matches": [{{}}'.encode() + b",{}" * 10_000 + b"]}")
        case "long-string":
            line(f'{{"seq": {seq}, "reply": "unsupported", "reason": "'.encode() + b"\\u00e9" * 2_000_000 + b'"}')
        case "out-of-memory":
            resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
            print(len(bytearray(2**30)))
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
    if mode == "replies-before-requests":
        for seq in range(1, 50):
            print(
                json.dumps({"seq": seq, "reply": "hello", "protocol": 2, "name": "eager", "version": "1"}), flush=True
            )
    first = True
    runs = 0
    for text in sys.stdin:
        request = json.loads(text)
        runs += request["request"] == "run"
        if mode == "another-each-time" and request["request"] == "hello":
            reply(request, "hello", protocol=2, name="chameleon", version=str(os.getpid()))
        elif mode == "another-each-time" and request["request"] == "run":
            os._exit(1)
        elif mode == "right-only-at-first" and request["request"] == "run" and runs > 2:
            reply(request, "matches", matches=[{"rule": "R"}])
        elif mode.startswith("declares:") and request["request"] == "hello":
            declared = [name for name in mode.removeprefix("declares:").split(",") if name]
            reply(request, "hello", protocol=2, name="declaring", version="1", constructs=declared)
        elif mode == "supports-nothing" and request["request"] == "load":
            reply(request, "unsupported", reason="nothing is")
        elif mode == "slow" and request["request"] == "load":
            time.sleep(0.2)
            behave(request)
        elif mode == "says-more-after-bye" and request["request"] == "bye":
            behave(request)
            line(b'{"seq": 3, "reply": "matches", "matches": []}')
            return
        elif mode == "old-protocol" and request["request"] == "hello":
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
