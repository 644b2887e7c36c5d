// An editor for a text, with colours, and marks where something is wrong. Tab leaves it, as it leaves any field.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, RangeSetBuilder, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";

const MOST_COLOURED = 100_000; // characters: colours of a longer text would hinder whoever writes

const SEVERITIES = { error: "error", warning: "warning", note: "info" };
const classes = new Map();
const coloured = (kind) => {
  if (!classes.has(kind)) classes.set(kind, Decoration.mark({ class: `tok-${kind}` }));
  return classes.get(kind);
};

function colours(pieces) {
  const drawn = (doc) => {
    const builder = new RangeSetBuilder();
    if (doc.length <= MOST_COLOURED) {
      for (const [from, to, kind] of pieces(doc.toString())) builder.add(from, to, coloured(kind));
    }
    return builder.finish();
  };
  return StateField.define({
    create: (state) => drawn(state.doc),
    update: (found, change) => (change.docChanged ? drawn(change.newDoc) : found),
    provide: (field) => EditorView.decorations.from(field),
  });
}

const ofKinds = Object.fromEntries(
  ["declaration", "keyword", "operator", "constant", "type", "function", "unit", "declared", "number", "string",
    "symbol", "comment", "error"].map((kind) => [`.tok-${kind}`, { color: `var(--tok-${kind})` }]),
);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--code-size)", color: "var(--text)", backgroundColor: "var(--field)" },
  "&.cm-focused": { outline: "none" }, // it is around the host of the tree
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.4rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection) !important",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--border)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", maxWidth: "34rem" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ...ofKinds,
});

export class Editor {
  // `changed` is called when somebody has changed the text.
  constructor(host, { label, pieces, changed, run }) {
    this.colours = new Compartment();
    this.quiet = false;
    const extensions = [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      EditorState.tabSize.of(4),
      keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off" }),
      EditorView.updateListener.of((update) => update.docChanged && !this.quiet && changed()),
      look,
      this.colours.of(colours(pieces)),
    ];
    // In a shadow tree styles are objects, not elements, which the policy of the page would refuse.
    const root = host.attachShadow({ mode: "open", delegatesFocus: true });
    this.view = new EditorView({ parent: root, root, state: EditorState.create({ extensions }) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  // Another text, which nobody has written here.
  show(text, pieces) {
    this.quiet = true;
    const effects = pieces ? [this.colours.reconfigure(colours(pieces))] : [];
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, effects });
    this.view.dispatch({ selection: { anchor: 0 }, scrollIntoView: true });
    this.quiet = false;
  }

  mark(marks) {
    const found = marks.filter(({ line }) => line > 0).map((mark) => ({
      ...this.range(mark),
      severity: SEVERITIES[mark.severity],
      message: mark.hint ? `${mark.message}\nhint: ${mark.hint}` : mark.message,
    }));
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  goTo(mark) {
    const { from, to } = this.range(mark);
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }

  // Where a mark is. Its columns count characters, those of the editor code units.
  range({ line, column, end_line, end_column }) {
    const from = this.position(line, column || 1);
    const to = column ? this.position(end_line || line, end_column || column + 1) : this.position(line, Infinity);
    return { from: Math.min(from, to), to: Math.max(from, to) };
  }

  position(line, column) {
    const { doc } = this.view.state;
    if (line > doc.lines) return doc.length;
    const { from, text } = doc.line(Math.max(line, 1));
    return from + Array.from(text).slice(0, column - 1).join("").length;
  }
}
