"""Serving an engine of this process to a runner: requests from one stream, replies to another."""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import replace
from typing import BinaryIO

from parte.conformance.engines.registry import engine_called
from parte.conformance.kit import KIT
from parte.conformance.messages import reply_to_json, request_from_json
from parte.conformance.protocol import (
    Bye,
    Engine,
    Failed,
    Hello,
    Load,
    ProtocolError,
    Reply,
    Unsupported,
    answer,
)
from parte.semantics.events.strictjson import decode

_NO_SEQ = -1


def command_serving(language: str, name: str) -> list[str]:
    """Return a command that serves an engine listed by a language, with the import path of this process."""
    text = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve_called; serve_called(*sys.argv[1:])"
    return [sys.executable, "-P", "-c", text, language, name]


def serve_called(language: str, name: str) -> None:
    """Serve an engine that a language lists on the standard streams."""
    from parte.languages.registry import language_called

    engine = engine_called(language_called(language)[KIT].engines(), name)
    serve(engine, sys.stdin.buffer, sys.stdout.buffer, sys.stderr.buffer)


def serve(engine: Engine, requests: BinaryIO, replies: BinaryIO, errors: BinaryIO) -> None:
    """Answer requests, one a line, until `bye` or the end of the stream. An error is reported in the reply, and the
    server continues."""
    greeting = engine.hello()
    for line in requests:
        seq = _NO_SEQ
        reply: Reply
        ended = False
        try:
            seq, request = request_from_json(decode(line.decode("utf-8"), finite=True, surrogates=True))
            ended = isinstance(request, Bye)
            if isinstance(request, Load) and request.language not in greeting.languages:
                reply = Unsupported(f"the languages here are: {', '.join(greeting.languages)}")
            elif isinstance(request, Hello):  # in the version of the request
                reply = replace(greeting, protocol=min(request.protocol, greeting.protocol))
            else:
                reply = answer(engine, request)
        except (ProtocolError, ValueError) as error:
            reply = Failed(f"{type(error).__name__}: {error}")
        except Exception as error:  # an error of an engine must not end the server
            errors.write(traceback.format_exc().encode("utf-8", "backslashreplace"))
            errors.flush()
            reply = Failed(f"{type(error).__name__}: {error}")
        text = json.dumps(reply_to_json(reply, seq), ensure_ascii=False, allow_nan=False)
        replies.write(text.encode("utf-8", "backslashreplace") + b"\n")
        replies.flush()
        if ended:
            return
