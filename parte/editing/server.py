"""The language server (`parte lsp`): the results of the modules beside it, in the form of the protocol.

The server works on the texts that an editor has open and sends as a whole at every change. It reads no files but those
that a text imports, in the folder of the text and the folders of the workspace. It sends diagnostics when typing
pauses; a change stops the reading of the text before it. Threads compute the answers, so that other requests are
answered while a large text is read. `$/cancelRequest` and `exit` stop them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcRequestCancelled
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from parte import interruptions
from parte.editing.analysis import Analysis, Finding
from parte.editing.cancelling import Pool, quiet_destructors
from parte.editing.completion import KEYWORD, completions
from parte.editing.frames import frames
from parte.editing.hover import hover
from parte.editing.names import Entity, Extent, Name, Sort, owner_of
from parte.editing.positions import UNITS, UTF16, Lines
from parte.editing.protocol import Protocol, converter
from parte.editing.renaming import NotRenamed, renamable, renamed
from parte.editing.support import Support, support_of, supported
from parte.faults import TRACEBACK
from parte.semantics.source.diagnostics import Severity
from parte.semantics.source.text import TEXT

PAUSE = 0.2
"""The seconds without a change after which a text is read."""

MOST_READINGS = 2
"""The number of documents that are read at once."""

MOST_PROPOSALS = 1_000
"""The greatest number of proposals at once. If there are more, only words that begin with the typed text are
proposed."""
MOST_SYMBOLS = 10_000
"""The greatest number of declarations in a list of symbols."""

_SEVERITIES = {Severity.ERROR: types.DiagnosticSeverity.Error, Severity.WARNING: types.DiagnosticSeverity.Warning}
_SYMBOLS = {
    Sort.TYPE: types.SymbolKind.TypeParameter,
    Sort.TEMPLATE: types.SymbolKind.Struct,
    Sort.PREDICATE: types.SymbolKind.Function,
    Sort.FUNCTION: types.SymbolKind.Function,
    Sort.PATTERN: types.SymbolKind.Class,
    Sort.RULE: types.SymbolKind.Class,
    Sort.ATTRIBUTE: types.SymbolKind.Field,
    Sort.VARIABLE: types.SymbolKind.Variable,
    Sort.EVENT: types.SymbolKind.Event,
    Sort.STREAM: types.SymbolKind.Interface,
}
_ITEMS = {
    KEYWORD: types.CompletionItemKind.Keyword,
    Sort.TYPE.value: types.CompletionItemKind.TypeParameter,
    Sort.TEMPLATE.value: types.CompletionItemKind.Struct,
    Sort.PREDICATE.value: types.CompletionItemKind.Function,
    Sort.FUNCTION.value: types.CompletionItemKind.Function,
    Sort.PATTERN.value: types.CompletionItemKind.Class,
    Sort.RULE.value: types.CompletionItemKind.Class,
    Sort.ATTRIBUTE.value: types.CompletionItemKind.Field,
    Sort.VARIABLE.value: types.CompletionItemKind.Variable,
    Sort.EVENT.value: types.CompletionItemKind.Event,
    Sort.STREAM.value: types.CompletionItemKind.Interface,
}
_MEANT = re.compile(r"did you mean `?([A-Za-z_][A-Za-z0-9_]*)`?\?")
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_OWNERS = {Sort.ATTRIBUTE: Sort.TEMPLATE, Sort.VARIABLE: Sort.RULE}
_CODES_PAGE = Path(__file__).parents[2] / "docs" / "diagnostics.md"
"""The page of diagnostic codes; it exists in a checkout."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """An open text at a version, with its analysis and the positions of its lines."""

    uri: str
    version: int | None
    analysis: Analysis
    lines: Lines

    def range(self, extent: Extent) -> types.Range:
        """Return an extent as a range of the protocol."""
        return _range(self.lines, extent)

    def extent(self, finding: Finding) -> Extent:
        """Return the extent of a diagnostic."""
        span = finding.diagnostic.span
        return Extent(self.lines.offset_of(span.start), self.lines.offset_of(span.end))

    def offset(self, position: types.Position) -> int:
        """Return a place as an offset."""
        return self.lines.offset(position.line, position.character)


class Connection(LanguageServer):
    """A connection to one editor."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "parte",
            metadata.version("parte"),
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
            converter_factory=converter,
        )
        self._thread_pool = Pool()
        self.readers = Pool(MOST_READINGS)

    def serve(self, source: BinaryIO, output: BinaryIO) -> int:
        """Answer an editor until it sends `exit` or closes the connection. Return the exit code."""
        self.protocol.set_writer(StdoutWriter(output))
        with quiet_destructors():
            try:
                asyncio.run(self._receive(source))
            except SystemExit as end:
                return int(end.code or 0)
            except (BrokenPipeError, KeyboardInterrupt):
                pass
            finally:
                if interruptions.has_come():
                    interruptions.end()  # without the thread that waits for the editor
                self.readers.shutdown()
                self.thread_pool.shutdown()
        return 0

    async def _receive(self, source: BinaryIO) -> None:
        """Handle the messages of an editor. A thread of its own waits for them, so that other work cannot delay
        them."""
        received, reader = frames(source), ThreadPoolExecutor(1)
        loop = asyncio.get_running_loop()
        while (frame := await loop.run_in_executor(reader, next, received, None)) is not None:
            self.protocol.receive(frame)


class Server:
    """The open documents, and the answers about them."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self.watching: dict[str, asyncio.Task[None]] = {}
        self._reading: dict[str, Future[list[types.Diagnostic]]] = {}
        self.connection = Connection()
        feature: Callable[..., Callable[[Callable[..., Any]], Any]] = self.connection.feature
        # pygls sets attributes on the functions that it gets, and a method has none: so each is a `partial`.
        feature(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._opened))
        feature(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._changed))
        feature(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._closed))
        answers: dict[str, tuple[Callable[[Document, Any], Any], object]] = {
            types.TEXT_DOCUMENT_HOVER: (_hover, None),
            types.TEXT_DOCUMENT_COMPLETION: (_completion, types.CompletionOptions(trigger_characters=["."])),
            types.TEXT_DOCUMENT_DEFINITION: (_definition, None),
            types.TEXT_DOCUMENT_REFERENCES: (_references, None),
            types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (_highlights, None),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
            types.TEXT_DOCUMENT_FORMATTING: (_formatting, None),
            types.TEXT_DOCUMENT_CODE_ACTION: (_corrections, types.CodeActionOptions([types.CodeActionKind.QuickFix])),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
            types.TEXT_DOCUMENT_RENAME: (_rename, types.RenameOptions(prepare_provider=True)),
        }
        for method, (answer, options) in answers.items():
            feature(method, options)(self.connection.thread()(self._answering(answer)))

    def _answering(self, answer: Callable[[Document, Any], Any]) -> Callable[[Any], Any]:
        """Return a function that answers a request about a document; None if the document is not open or in no known
        language."""

        def answered(params: Any) -> Any:
            document = self._documents.get(params.text_document.uri)
            return None if document is None else answer(document, params)

        return answered

    # --- Documents ----------------------------------------------------------------------------------------------------

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        opened = params.text_document
        support = support_of(opened.language_id, unquote(urlsplit(opened.uri).path))
        if support is not None:
            self._put(opened.uri, opened.version, support, opened.text)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        known = self._documents.get(params.text_document.uri)
        whole = [
            change
            for change in params.content_changes
            if isinstance(change, types.TextDocumentContentChangeWholeDocument)
        ]
        if known is not None and whole:
            support = known.analysis.support
            self._put(params.text_document.uri, params.text_document.version, support, whole[-1].text)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        if self._documents.pop(params.text_document.uri, None) is not None:
            self._stop_reading(params.text_document.uri)
            self._publish(params.text_document.uri, None, [])

    def _put(self, uri: str, version: int, support: Support, text: str) -> None:
        encoding = str(self.connection.workspace.position_encoding or UTF16)
        lines = Lines(text, encoding if encoding in UNITS else UTF16)
        workspace = self.connection.workspace.folders.values()
        folders = [path for folder in workspace if (path := _path_of(folder.uri))]
        self._documents[uri] = Document(uri, version, Analysis(support, text, _path_of(uri), folders), lines)
        self._stop_reading(uri)
        if uri not in self.watching:
            self.watching[uri] = asyncio.ensure_future(self._watch(uri))

    def _stop_reading(self, uri: str) -> None:
        if uri in self._reading:
            self.connection.readers.stop(self._reading[uri])

    async def _watch(self, uri: str) -> None:
        """Read a document once it has not changed for a while. Publish its diagnostics, unless it changes meanwhile."""
        try:
            while (document := self._documents.get(uri)) is not None:
                await asyncio.sleep(PAUSE)
                if self._documents.get(uri) is not document:
                    continue
                self._reading[uri] = self.connection.readers.submit(_diagnostics, document)
                try:
                    diagnostics = await asyncio.wrap_future(self._reading[uri])
                except JsonRpcRequestCancelled:
                    continue
                except Exception as problem:
                    self.connection.report_server_error(problem, JsonRpcException)
                    return
                finally:
                    del self._reading[uri]
                if self._documents.get(uri) is document:
                    self._publish(uri, document.version, diagnostics)
                    return
        finally:
            del self.watching[uri]

    def _publish(self, uri: str, version: int | None, diagnostics: Sequence[types.Diagnostic]) -> None:
        self.connection.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))


def _path_of(uri: str) -> str:
    """Return the path of a file on this machine; "" for the URI of anything else."""
    split = urlsplit(uri)
    return url2pathname(split.path) if split.scheme == "file" and split.netloc in ("", "localhost") else ""


def _range(lines: Lines, extent: Extent) -> types.Range:
    start, end = lines.range(*extent)
    return types.Range(types.Position(*start), types.Position(*end))


# --- Answers ----------------------------------------------------------------------------------------------------------


def _diagnostics(document: Document) -> list[types.Diagnostic]:
    return [_diagnostic(document, finding) for finding in document.analysis.findings]


def _diagnostic(document: Document, finding: Finding) -> types.Diagnostic:
    diagnostic, extent = finding.diagnostic, document.extent(finding)
    page = _CODES_PAGE.as_uri() + f"#{document.analysis.support.language.name.lower()}" if _CODES_PAGE.exists() else ""
    return types.Diagnostic(
        range=document.range(extent),
        message=f"{diagnostic.message}\nhint: {diagnostic.hint}",
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=types.CodeDescription(page) if page else None,
        source="parte",
        related_information=[
            types.DiagnosticRelatedInformation(types.Location(document.uri, document.range(place)), message)
            for place, message in finding.related
        ],
    )


def _hover(document: Document, params: types.HoverParams) -> types.Hover | None:
    text_at = hover(document.analysis, document.offset(params.position))
    if text_at is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text_at[1]), document.range(text_at[0]))


def _completion(document: Document, params: types.CompletionParams) -> types.CompletionList:
    analysis = document.analysis
    word, proposals = completions(analysis.support, analysis.text, document.offset(params.position))
    place, typed = document.range(word), analysis.text[word.start : document.offset(params.position)].lower()
    whole = len(proposals) <= MOST_PROPOSALS
    if not whole:
        proposals = [proposal for proposal in proposals if proposal.word.lower().startswith(typed)][:MOST_PROPOSALS]
    items = [
        types.CompletionItem(
            proposal.word,
            kind=_ITEMS[proposal.what],
            detail=proposal.detail or proposal.what,
            text_edit=types.TextEdit(place, proposal.word),
        )
        for proposal in proposals
    ]
    return types.CompletionList(is_incomplete=not whole, items=items)


def _named(document: Document, position: types.Position) -> Name | None:
    return document.analysis.names.at(document.offset(position))


def _definition(document: Document, params: types.DefinitionParams) -> list[types.Location] | None:
    name = _named(document, params.position)
    if name is None:
        return None
    declared = _places(document, document.analysis.names.declarations(name.entity))
    return declared or [
        types.Location(Path(path).resolve().as_uri(), _range(Lines(text, document.lines.encoding), declaration.extent))
        for path, text, declaration in document.analysis.defined_in(name)
    ]


def _references(document: Document, params: types.ReferenceParams) -> list[types.Location] | None:
    name = _named(document, params.position)
    if name is None:
        return None
    names = document.analysis.names.of(name.entity)
    return _places(document, [use for use in names if params.context.include_declaration or use.declares is None])


def _places(document: Document, names: Sequence[Name]) -> list[types.Location]:
    return [types.Location(document.uri, document.range(name.extent)) for name in names]


def _highlights(document: Document, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
    name = _named(document, params.position)
    if name is None:
        return None
    return [types.DocumentHighlight(document.range(use.extent)) for use in document.analysis.names.of(name.entity)]


def _symbols(document: Document, _params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return the declared entities: attributes within their templates, variables within their rules. An entity that
    is declared several times is listed once; variables of rules without names are not listed."""
    symbols: list[types.DocumentSymbol] = []
    owners: dict[tuple[Sort, str], list[types.DocumentSymbol]] = {}
    seen = set[Entity]()
    for name in document.analysis.names.names:
        entity = name.entity
        if name.declares is None or entity in seen:
            continue
        if len(seen) == MOST_SYMBOLS:
            break
        seen.add(entity)
        children: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            entity.name,
            _SYMBOLS[entity.sort],
            document.range(name.declares),
            document.range(name.extent),
            entity.sort.value,
            children=children,
        )
        holder = Sort.RULE if entity.sort is Sort.PATTERN else entity.sort
        owners[holder, owner_of(entity.sort, entity.name)] = children
        beside = owners.get((_OWNERS[entity.sort], entity.owner), []) if entity.owner else symbols
        beside.append(symbol)
    return symbols


def _formatting(document: Document, _params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    text, formatted = document.analysis.text, document.analysis.formatted
    if formatted is None or formatted == text:
        return []
    return [types.TextEdit(document.range(Extent(0, len(text))), formatted)]


def _corrections(document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the corrections that hints propose for unknown names at the beginning of a diagnostic."""
    actions = []
    for finding in document.analysis.findings:
        extent, meant = document.extent(finding), _MEANT.search(finding.diagnostic.hint)
        place, wrong = document.range(extent), _NAME.match(document.analysis.text, extent.start)
        requested = params.range.start <= place.end and place.start <= params.range.end
        # A hint about syntax may mean another word.
        if meant and wrong and requested and get_close_matches(wrong[0], [meant[1]]):
            edit = types.TextEdit(document.range(Extent(*wrong.span())), meant[1])
            actions.append(
                types.CodeAction(
                    f"Replace `{wrong[0]}` by `{meant[1]}`",
                    types.CodeActionKind.QuickFix,
                    [_diagnostic(document, finding)],
                    is_preferred=True,
                    edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
                )
            )
    return actions


def _prepare_rename(document: Document, params: types.PrepareRenameParams) -> types.Range | None:
    name = renamable(document.analysis, document.offset(params.position))
    return None if name is None else document.range(name.extent)


def _rename(document: Document, params: types.RenameParams) -> types.WorkspaceEdit:
    try:
        places = renamed(document.analysis, document.offset(params.position), params.new_name)
    except NotRenamed as problem:
        raise JsonRpcInvalidParams(str(problem)) from None
    edits = [types.TextEdit(document.range(place), params.new_name) for place in places]
    return types.WorkspaceEdit(changes={document.uri: edits})


def serve() -> int:
    """Serve one editor on standard input and output until it sends `exit` or closes the connection. Return the exit
    code."""
    if not os.environ.get(TRACEBACK):
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # failures are reported to the editor
    for support in supported():
        support.language[TEXT]  # imported before threads need it
    # Standard output belongs to the protocol: any other output would be no message.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output, redirect_stdout(sys.stderr):
        return Server().connection.serve(sys.stdin.buffer, output)
