// A template for adapters in JavaScript (Node.js, no packages): what engine.py does, in another language.
// Run it: parte conform 'node engine.mjs'

import { createInterface } from "node:readline";

class Unsupported extends Error {}

// Strings are ordered by code point; JavaScript compares UTF-16 units.
const order = (a, b) => {
  if (typeof a !== "string") return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  return x.length - y.length;
};
const COMPARE = {
  "=": (a, b) => a === b, "!=": (a, b) => a !== b,
  "<": (a, b) => order(a, b) < 0, "<=": (a, b) => order(a, b) <= 0,
  ">": (a, b) => order(a, b) > 0, ">=": (a, b) => order(a, b) >= 0,
};

function compileValue(node) {
  if (node.kind === "constant") return () => node.value;
  if (node.kind === "attribute") return (bound) => bound[node.variable].attributes[node.attribute];
  if (node.kind === "to-float") return compileValue(node.operand);
  throw new Unsupported(`expressions of the kind ${node.kind}`);
}

function compileCondition(node) {
  if (node.kind !== "comparison") throw new Unsupported(`conditions of the kind ${node.kind}`);
  const [compare, left, right] = [COMPARE[node.operator], compileValue(node.left), compileValue(node.right)];
  return (bound) => compare(left(bound), right(bound));
}

// Windows are closed at both ends.
const compileWindow = ({ subject, reference, lower, upper }) => (bound) =>
  lower <= bound[subject].timestamp - bound[reference].timestamp &&
  bound[subject].timestamp - bound[reference].timestamp <= upper;

function compileRule(rule) {
  if (rule.emissions.length) throw new Unsupported("emissions");
  const patterns = rule.patterns.map((pattern) => ({
    ...pattern,
    tests: [
      ...pattern.conditions.map(compileCondition),
      ...rule.constraints.filter((c) => pattern.negated && c.subject === pattern.variable).map(compileWindow),
    ],
  }));
  return { name: rule.name, patterns, windows: rule.constraints.filter((c) => !c.negated).map(compileWindow) };
}

// Every way to bind the patterns from `index` on; negated ones bind nothing.
function* find(rule, events, index = 0, bound = {}) {
  if (index === rule.patterns.length) {
    if (!rule.windows.every((window) => window(bound))) return;
    const bindings = Object.fromEntries(Object.entries(bound).map(([variable, event]) => [variable, event.id]));
    yield { rule: rule.name, bindings, emits: [] };
    return;
  }
  const { variable, template, negated, tests } = rule.patterns[index];
  const fits = events.filter((event) => event.template === template)
    .filter((event) => tests.every((test) => test({ ...bound, [variable]: event })));
  if (!negated) for (const event of fits) yield* find(rule, events, index + 1, { ...bound, [variable]: event });
  else if (!fits.length) yield* find(rule, events, index + 1, bound);
}

let rules = [];
function reply(request, line) {
  // JSON.parse rounds integers beyond 2^53; an adapter that matters reads them as BigInt.
  if (/[^\w.]-?\d{16,}/.test(line)) throw new Unsupported("integers beyond 2^53");
  switch (request.request) {
    case "hello": return { reply: "hello", protocol: 2, name: "template-js", version: "1", languages: ["PARTElang"] };
    case "load":
      if (request.program.ast === null || Object.keys(request.domain).length)
        throw new Unsupported("reading the text of programs, and domain predicates");
      rules = request.program.ast.rules.map(compileRule);
      return { reply: "ok" };
    case "run": {
      const items = request.trace.map((item, index) => ({ id: `e${index + 1}`, ...item }));
      const events = items.filter((item) => !("progress" in item));
      if (events.some((event) => typeof event.timestamp === "string")) throw new Unsupported("ISO 8601 timestamps");
      return { reply: "matches", matches: rules.flatMap((rule) => [...find(rule, events)]) };
    }
    case "bye": return { reply: "bye" };
    default: return { reply: "unsupported", reason: "one step at a time" };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = reply(request, line);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    answer = { reply: "unsupported", reason: error.message };
  }
  process.stdout.write(JSON.stringify({ seq: request.seq, ...answer }) + "\n");
}
