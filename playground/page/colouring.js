// Colours, from the table that Pygments and editors use (parte/editing/words.py), by the same rules.

const PASSED = new Set(["space", "comment"]);
const OF_TOKENS = {
  SPACE: "space", NEWLINE: "space", COMMENT: "comment", FLOAT: "number", INTEGER: "number", STRING: "string",
  SYMBOL: "symbol",
};

const whole = (pattern) => (pattern ? new RegExp(`^(?:${pattern})$`) : null);

// What gives the pieces of a text, each as [begin, end, kind].
export function colourer({ tokens, words, units, places, anyCase }) {
  const pattern = new RegExp(tokens.map(([name, source]) => `(?<${name}>${source})`).join("|"), "g");
  const unit = new Set(units);
  const known = new Map(Object.entries(words));
  const names = places.map(([behind, ahead, listed]) => [whole(behind), whole(ahead), new Set(listed)]);

  function ofWord(before, written, after) {
    const word = anyCase ? written.toUpperCase() : written;
    if (before.token === "INTEGER" && unit.has(word)) return "unit";
    const kind = known.get(word) ?? "name";
    if (kind === "function") return after.text === "(" ? kind : "name";
    const named = names.some(([behind, ahead, listed]) =>
      listed.has(word) && (!behind || behind.test(before.text)) && (!ahead || ahead.test(after.text)));
    return named ? "name" : kind;
  }

  return (text) => {
    const found = Array.from(text.matchAll(pattern), (match) => {
      const token = tokens.find(([name]) => match.groups[name] !== undefined)[0];
      return { token, text: match[0], start: match.index, kind: OF_TOKENS[token] ?? "error" };
    });
    const near = found.filter(({ kind }) => !PASSED.has(kind));
    const none = { token: "", text: "" };
    let declaring = false;
    near.forEach((each, place) => {
      if (each.token === "NAME") {
        each.kind = ofWord(near[place - 1] ?? none, each.text, near[place + 1] ?? none);
        if (each.kind === "name" && declaring) each.kind = "declared";
      }
      declaring = each.kind === "declaration";
    });
    return found
      .filter(({ kind }) => kind !== "space")
      .map(({ start, text: written, kind }) => [start, start + written.length, kind]);
  };
}

// JSON, for traces and domain tables.
const JSON_PIECES = /("(?:[^"\\\n]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],:]/g;

export const json = (text) =>
  Array.from(text.matchAll(JSON_PIECES), ({ index, 0: written, 1: string, 2: colon }) => {
    if (string) return [index, index + string.length, colon ? "name" : "string"];
    const kind = /^[-\d]/.test(written) ? "number" : /^[a-z]/.test(written) ? "constant" : "symbol";
    return [index, index + written.length, kind];
  });
