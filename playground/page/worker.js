// The reference, in a worker: Python with this project in it. A request and its answer are JSON (parte/playground).

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (path) => new URL(path, import.meta.url).href;

async function got(path) {
  const response = await fetch(here(path));
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return response;
}

const wheel = async (name) => ({ name, content: await (await got(`wheels/${name}`)).arrayBuffer() });
const tell = (label, step) => postMessage({ phase: "loading", label, step, of: 3 });

let python, answer, solver;

async function start() {
  tell("Python", 0);
  const wheels = (await got("wheels.json")).json();
  const first = wheels.then((listed) => Promise.all(listed.first.map(wheel)));
  python = await loadPyodide({ indexURL: here("pyodide/") });
  tell("the reference", 1);
  for (const each of await first) python.unpackArchive(each.content, "wheel");
  tell("the reference", 2);
  answer = python.runPython("from parte.playground.answers import answer; answer");
  solver = (await wheels).solver;
}

// The solver is as large as all the rest, and loaded when it is needed first.
async function loadSolver() {
  if (solver.length === 0) return;
  postMessage({ phase: "solver" });
  for (const each of await Promise.all(solver.map(wheel))) python.unpackArchive(each.content, "wheel");
  solver = [];
}

const started = start().then(
  () => postMessage({ phase: "ready" }),
  (error) => postMessage({ phase: "failed", message: String(error.message ?? error) }),
);

// One request at a time: the page waits for an answer before it asks again.
onmessage = async ({ data: { id, request } }) => {
  await started;
  try {
    if (request.task === "check") await loadSolver();
    postMessage({ id, answer: answer(JSON.stringify(request)) });
  } catch (error) {
    postMessage({ phase: "failed", message: String(error.message ?? error) });
  }
};
