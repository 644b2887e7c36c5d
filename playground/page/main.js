// The page: what is asked of the reference, and what it answers.

import { colourer, json } from "./colouring.js";
import { Editor } from "./editor.js";
import { read, Unreadable, written } from "./link.js";
import { Reference } from "./reference.js";
import { drawing, element, framed, table, text } from "./results.js";

const QUIET = 500; // milliseconds after the last key before what was written is looked at
const LONG = 5; // seconds after which a run tells that it lasts

const TITLES = {
  run: "Matches", timeline: "Timeline", network: "Network", compare: "Compare", check: "Check", why: "Why", step: "Steps",
};
const HELP = {
  run: "The matches of the program on the trace.",
  timeline: "The trace in time, with its matches.",
  network: "The network that the program becomes.",
  compare: "Does the model find what the definition says?",
  check: "What can be proved of the program before it runs.",
  why: "Why events matched a rule, or did not.",
  step: "What the machine does, step by step.",
};

const $ = (id) => document.getElementById(id);
const choices = (select, names, title = (name) => name) =>
  select.replaceChildren(...names.map((name) => element("option", { value: name }, title(name))));

class Page {
  constructor(contents) {
    this.contents = contents;
    this.languages = new Map(contents.languages.map((each) => [each.name, { ...each, pieces: colourer(each.colouring) }]));
    this.examples = new Map(contents.examples.map((each) => [each.id, each]));
    this.task = "run";
    this.results = new Map();
    const run = () => this.run();
    const changed = () => this.changed();
    const [first] = this.languages.values();
    this.editors = {
      program: new Editor($("program"), { label: "Program", pieces: first.pieces, changed, run }),
      trace: new Editor($("trace"), { label: "Trace", pieces: json, changed, run }),
      domain: new Editor($("domain"), { label: "Domain table", pieces: json, changed, run }),
    };
    choices($("language"), [...this.languages.keys()]);
    this.listen();
    this.reference = new Reference((what) => this.heard(what));
  }

  listen() {
    $("language").onchange = () => this.showExample([...this.examples.values()].find(({ language }) => language === $("language").value));
    $("example").onchange = () => this.examples.has($("example").value) && this.showExample(this.examples.get($("example").value));
    $("link").onclick = () => this.copyLink();
    $("cancel").onclick = () => this.reference.cancel();
    for (const id of ["settings", "asking"]) {
      $(id).onsubmit = (event) => {
        event.preventDefault();
        this.run();
      };
    }
    $("settings").oninput = () => this.changed();
    $("asking").oninput = () => this.results.delete("why");
    $("tasks").onkeydown = (event) => this.alongTasks(event);
    window.onhashchange = () => this.open();
  }

  get language() {
    return this.languages.get($("language").value);
  }

  // --- What is on the page ---

  // What the address asks for: what a link carries, an example by its name, or the first one.
  async open() {
    const fragment = location.hash.slice(1);
    if (fragment === this.fragment && fragment) return;
    const opening = (this.opening = {});
    this.notice("");
    const name = fragment.startsWith("example=") ? fragment.slice("example=".length) : "";
    try {
      if (fragment && !name) {
        const state = this.fitting(await read(fragment));
        if (opening !== this.opening) return; // another link was opened meanwhile
        this.show(state);
        this.fragment = fragment;
        return;
      }
      if (name && !this.examples.has(name)) throw new Unreadable(`no example is called ${JSON.stringify(name.slice(0, 80))}`);
    } catch (error) {
      if (opening !== this.opening) return;
      if (!(error instanceof Unreadable)) throw error;
      this.notice(`This link cannot be read: ${error.message}. Shown is an example.`);
    }
    const [first] = this.examples.values();
    this.showExample(this.examples.get(name) ?? first, { keep: true });
  }

  // What a link carries, if the page has such things. Unreadable if it has not.
  fitting(state) {
    const language = this.languages.get(state.language);
    if (!language) throw new Unreadable(`no language is called ${JSON.stringify(state.language.slice(0, 80))}`);
    const known = { model: language.models, schedule: language.schedules, task: language.tasks };
    for (const [name, values] of Object.entries(known)) {
      if (state[name] && !values.includes(state[name])) {
        throw new Unreadable(`${language.name} has no ${name} called ${JSON.stringify(state[name].slice(0, 80))}`);
      }
    }
    return state;
  }

  showExample(example, { keep = false } = {}) {
    const task = this.languages.get(example.language).tasks.includes(this.task) ? this.task : "run";
    this.show({ ...example, model: "", schedule: "", seed: 0, task: task === "why" ? "run" : task, rule: "", bindings: "" });
    $("example").value = example.id;
    this.fragment = `example=${example.id}`;
    if (!keep || location.hash.startsWith("#example=")) history.replaceState(null, "", `#${this.fragment}`);
    this.run();
  }

  show(state) {
    $("language").value = state.language;
    const language = this.language;
    this.listExamples();
    choices($("model"), language.models);
    $("model").value = state.model || "sound";
    choices($("schedule"), language.schedules);
    $("schedule").value = state.schedule || language.schedules[0] || "";
    $("seed").value = state.seed;
    $("disorder").value = state.disorder;
    choices($("rule"), state.rule ? [state.rule] : [""], (name) => name || "the only one");
    $("bindings").value = state.bindings;
    this.editors.program.show(state.program, language.pieces);
    this.editors.trace.show(state.trace);
    this.editors.domain.show(state.domain);
    $("domain-pane").open = state.domain !== "";
    this.task = state.task || "run";
    this.results.clear();
    this.version = this.shown = {};
    clearTimeout(this.timer);
    this.arrange();
    this.render();
    this.look();
  }

  listExamples() {
    const groups = new Map();
    for (const { id, language, group, title } of this.examples.values()) {
      if (language !== this.language.name) continue;
      if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
      groups.get(group).append(element("option", { value: id }, title));
    }
    $("example").replaceChildren(element("option", { value: "" }, "your own"), ...groups.values());
    $("example").value = "";
  }

  get request() {
    const language = this.language;
    const scheduled = language.machines.includes($("model").value);
    const schedule = scheduled ? $("schedule").value : "";
    return {
      language: language.name,
      program: this.editors.program.text,
      trace: this.editors.trace.text,
      domain: language.domain ? this.editors.domain.text : "",
      model: $("model").value,
      schedule,
      seed: language.seeded.includes(schedule) ? Math.max(0, Math.trunc(Number($("seed").value)) || 0) : 0,
      disorder: language.disorder ? $("disorder").value : "",
      rule: $("rule").value,
      bindings: $("bindings").value,
    };
  }

  // Fields that say nothing of this language, or of this model, are not shown.
  arrange() {
    const language = this.language;
    const scheduled = language.machines.includes($("model").value);
    const field = (id, there) => { $(id).closest(".field").hidden = !there; };
    field("schedule", scheduled);
    field("seed", scheduled && language.seeded.includes($("schedule").value));
    field("disorder", language.disorder);
    $("domain-pane").hidden = !language.domain;
    if ($("tasks").childElementCount !== language.tasks.length || $("tasks").dataset.language !== language.name) {
      $("tasks").dataset.language = language.name;
      const order = Object.keys(TITLES).filter((task) => language.tasks.includes(task));
      $("tasks").replaceChildren(...order.map((task) => {
        const tab = element("button", { type: "button", id: `task-${task}`, title: HELP[task], role: "tab", "aria-controls": "result" }, TITLES[task]);
        tab.onclick = () => this.choose(task);
        return tab;
      }));
    }
  }

  changed() {
    $("example").value = "";
    this.version = {};
    this.arrange();
    $("result").classList.toggle("old", this.results.size > 0);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.remember();
      this.look();
    }, QUIET);
  }

  async remember() {
    const { version } = this;
    const fragment = await written({ ...this.request, task: this.task });
    if (version !== this.version) return fragment; // what was changed meanwhile will be remembered
    this.fragment = fragment;
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
    return fragment;
  }

  async copyLink() {
    if (!await this.remember()) {
      this.notice("This is too long for a link.");
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("The link is copied: it carries program, trace and settings.");
    } catch {
      this.say("The link is in the address bar: it carries program, trace and settings.");
    }
  }

  // --- Asking ---

  choose(task) {
    this.task = task;
    const found = this.results.get(task);
    this.render();
    if (task === "why" && $("rule").options.length > 1 && !$("rule").value && !found) {
      this.say("Choose a rule, or ask beside a match.");
      return;
    }
    if (!found || found.version !== this.version) this.run();
  }

  alongTasks(event) {
    const tabs = [...$("tasks").children];
    const place = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    tabs[(next + tabs.length) % tabs.length].focus();
  }

  async run() {
    if (this.reference.busy) {
      this.wanted = this.task;
      return;
    }
    this.wanted = null;
    const { task, version, shown } = this;
    const answer = await this.ask(task);
    if (answer && shown === this.shown) {
      this.results.set(task, { answer, version, took: this.took });
      if (task === this.task) this.render();
    }
    if (answer) this.goOn();
  }

  // What was asked meanwhile, unless it is answered now.
  goOn() {
    if (this.wanted === this.task && this.results.get(this.task)?.version !== this.version) this.run();
    this.wanted = null;
  }

  // A look at the program alone, for what is wrong with it.
  async look() {
    if (this.reference.busy || !this.reference.ready) return;
    const { version } = this;
    const answer = await this.ask("read");
    if (answer && version === this.version) this.showMarks(answer);
    if (answer) this.goOn();
  }

  async ask(task) {
    this.asking = task;
    const began = performance.now();
    const loaded = this.reference.ready;
    const asked = this.reference.ask({ ...this.request, task });
    if (task !== "read") this.lasts(began);
    const answer = await asked;
    this.took = loaded ? ` ${((performance.now() - began) / 1000).toFixed(2)} s.` : "";
    clearInterval(this.clock);
    $("loading").hidden = this.reference.ready;
    $("cancel").hidden = true;
    document.body.classList.remove("busy");
    this.asking = null;
    return answer;
  }

  lasts(began) {
    $("cancel").hidden = false;
    document.body.classList.add("busy");
    if (this.reference.ready) this.say("Running…");
    this.clock = setInterval(() => {
      const seconds = Math.floor((performance.now() - began) / 1000);
      if (this.reference.ready && seconds >= LONG && seconds % LONG === 0) this.say(`Running for ${seconds} seconds…`);
    }, 1000);
  }

  heard({ phase, label, step, of, seconds, message }) {
    const loading = phase === "loading" || phase === "solver";
    $("loading").hidden = !loading;
    if (phase === "loading") {
      $("loading").max = of;
      $("loading").value = step;
      this.say(`Loading ${label}…`);
    } else if (phase === "solver") {
      $("loading").removeAttribute("value");
      this.say("Loading the solver, once…");
    } else if (phase === "ready") {
      this.say(`Ready, in ${seconds.toFixed(1)} s.`);
      if (!this.reference.busy) this.look();
    } else if (phase === "stopped") {
      this.wanted = null;
      this.notice("");
    } else if (phase === "failed") {
      this.notice(`The reference stopped: ${message}`);
      this.say("");
    }
  }

  // --- Answers ---

  say(what) {
    $("status").textContent = what;
  }

  notice(what) {
    $("notice").textContent = what;
    $("notice").hidden = !what;
  }

  render() {
    for (const tab of $("tasks").children) {
      const chosen = tab.id === `task-${this.task}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    $("result").setAttribute("aria-labelledby", `task-${this.task}`);
    $("asking").hidden = this.task !== "why";
    const found = this.results.get(this.task);
    $("result").replaceChildren();
    $("result").className = "";
    if (!found) return;
    const { answer, took, version } = found;
    $("result").classList.toggle("old", version !== this.version);
    $("result").classList.toggle("good", answer.good && answer.text !== "" && this.task !== "run");
    $("result").classList.toggle("bad", !answer.good && answer.text !== "");
    if (version === this.version) this.showMarks(answer);
    $("result").replaceChildren(...this.parts(answer));
    this.say(this.summary(answer) + took);
  }

  parts(answer) {
    if (answer.drawing) return drawing(answer.drawing, this.task);
    if (answer.page) return framed(answer.page, this.task);
    if (this.task !== "run") return answer.text ? [text(answer.text)] : [];
    if (answer.matches.length === 0) return answer.good ? [element("p", { className: "quiet" }, "Nothing matches.")] : [];
    const why = this.language.tasks.includes("why") ? (match) => this.askWhy(match) : null;
    const left = answer.count - answer.matches.length;
    const more = left > 0 ? [element("p", { className: "quiet" }, `and ${left.toLocaleString("en")} more`)] : [];
    return [table(answer.matches, why), ...more];
  }

  summary(answer) {
    const errors = answer.marks.filter(({ severity }) => severity === "error").length;
    if (errors) return `${errors} ${errors === 1 ? "error" : "errors"}.`;
    if (this.task === "run") return `${answer.count.toLocaleString("en")} ${answer.count === 1 ? "match" : "matches"}.`;
    return { compare: answer.good ? "They agree." : "They differ.", why: answer.good ? "A match." : "No match.",
      step: answer.good ? "Its matches are those of the algebra." : "It departs from the algebra.",
      check: answer.good ? "Checked." : "Not all that it should guarantee holds." }[this.task] ?? "Drawn.";
  }

  askWhy({ rule, bindings }) {
    $("rule").value = rule;
    $("bindings").value = Object.entries(bindings).map(([name, event]) => `${name}=${event}`).join(",");
    this.results.delete("why");
    this.choose("why");
    $("task-why").focus();
  }

  showMarks({ marks, rules }) {
    for (const [name, editor] of Object.entries(this.editors)) editor.mark(marks.filter(({ where }) => where === name));
    if (marks.some(({ where }) => where === "domain")) $("domain-pane").open = true;
    if (rules.length > 0) {
      const before = $("rule").value;
      choices($("rule"), rules.length > 1 ? ["", ...rules] : rules, (name) => name || "choose one");
      $("rule").value = rules.includes(before) ? before : rules.length > 1 ? "" : rules[0];
    }
    $("marks").replaceChildren(...marks.map((mark) => this.mark(mark)));
    $("marks").hidden = marks.length === 0;
  }

  mark(mark) {
    const place = mark.line ? `${mark.where}:${mark.line}${mark.column ? `:${mark.column}` : ""}` : mark.where;
    const code = mark.code ? `${mark.severity}[${mark.code}]` : mark.severity;
    const editor = this.editors[mark.where];
    const where = editor && mark.line
      ? element("button", { type: "button", className: "place", title: "Go there" }, place)
      : element("span", { className: "place" }, mark.where === "settings" ? "" : place);
    if (editor && mark.line) where.onclick = () => editor.goTo(mark);
    const hint = mark.hint ? [element("span", { className: "hint" }, `hint: ${mark.hint}`)] : [];
    return element("li", { className: mark.severity }, where, " ", element("b", {}, code), ` ${mark.message} `, ...hint);
  }
}

// Within a page of the documentation this one is light or dark as that is; what is of another origin cannot be asked.
function followTheme() {
  let around = null;
  try {
    around = window.parent === window ? null : window.parent.document.body;
  } catch {
    return;
  }
  if (!around) return;
  const follow = () => {
    document.documentElement.dataset.theme = around.dataset.theme ?? "";
  };
  new MutationObserver(follow).observe(around, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
}

async function begin() {
  followTheme();
  if (location.protocol === "file:") {
    $("notice").hidden = false;
    $("notice").textContent = "Browsers run this page from a server only: 'parte playground' is one, for this machine.";
    return;
  }
  const response = await fetch("contents.json");
  const page = new Page(await response.json());
  await page.open();
}

begin().catch((error) => {
  $("notice").hidden = false;
  $("notice").textContent = `The page could not be loaded: ${error.message}`;
});
