"use strict";
// What nodes hold after `count` of the steps that are shown. State is never kept: it follows from the first one's.
function heldAfter(run, count) {
  const held = run.start.map(node => ({
    inbox: node.inbox.map(queue => [...queue]), outbox: [...node.outbox],
    left: [...node.left], right: [...node.right], bounds: [...node.bounds],
  }));
  for (const step of run.steps.slice(0, count)) take(held, step);
  return held;
}

function take(held, step) {
  const node = held[step.node];
  if (step.held) {
    Object.assign(node, structuredClone(step.held));
    return;
  }
  if (step.do === "prop") node.outbox.shift();
  if (step.do === "proc") {
    node.inbox[step.slot].shift();
    node.outbox.push(...step.out);
    for (const side of ["left", "right"]) {
      const [stored, removed] = step[side] || [[], []];
      node[side].push(...stored);
      for (const entry of removed) node[side].splice(node[side].indexOf(entry), 1);
    }
    node.bounds = step.bounds || node.bounds;
  } else {
    for (const [target, slot] of step.to) held[target].inbox[slot].push(step.token);
  }
}

// After which steps one may stop: each step; each event with all that follows from it; each match.
function stopsOf(run, grain) {
  const stops = [0];
  run.steps.forEach((step, place) => {
    const next = run.steps[place + 1];
    if (grain === "step" || !next || (grain === "event" ? next.do === "arrive" : "match" in step)) stops.push(place + 1);
  });
  return stops;
}

function nextOf(stops, place) { return stops.find(stop => stop > place); }
function previousOf(stops, place) { return stops.filter(stop => stop < place).pop(); }

if (typeof document === "undefined") module.exports = {heldAfter, stopsOf, nextOf, previousOf};
else show(JSON.parse(document.getElementById("run").textContent));

function show(run) {
  const at = id => document.getElementById(id);
  const make = (name, css, text, ...parts) => {
    const made = document.createElement(name);
    if (css) made.className = css;
    if (text !== undefined) made.textContent = text;
    made.append(...parts);
    return made;
  };
  const drawn = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const {steps, nodes} = run;
  const network = document.querySelector(".network svg"), boxes = network.querySelectorAll("g.node");
  const wires = [...network.querySelectorAll("path.edge")];
  const dots = new Map();
  for (const dot of document.querySelectorAll(".time circle[data-event]")) {
    dots.set(dot.dataset.event, [...dots.get(dot.dataset.event) || [], dot]);
  }
  const overlay = network.appendChild(drawn("g", {class: "tokens"}));
  const arrived = new Map();
  steps.forEach((step, place) => {
    const payload = step.do === "arrive" && run.tokens[step.token][0];
    if (payload) payload.forEach(event => arrived.has(event) || arrived.set(event, place + 1));
  });
  const found = steps.flatMap((step, place) => "match" in step ? [place + 1] : []);
  const differing = [...new Set(run.differences.map(one => one.place))];
  let place = 0, pinned = null, playing = null;

  const events = places => places.map(event => run.events[event][0]).join(", ");
  const payloadOf = token => run.tokens[token][0] === null ? "⊥" : events(run.tokens[token][0]);
  const tokenText = token => `⟨${payloadOf(token)}; ${run.tokens[token][1].join(", ")}⟩`;
  const entryText = entry => {
    const [ids, opens, closes] = run.entries[entry];
    return `${events(ids)} live [${opens === closes ? opens : `${opens}, ${closes}`}]`;
  };

  // --- The network ---------------------------------------------------------------------------------------------------
  const ends = (node, slot) => {
    const wire = run.wires.findIndex(one => one.node === node && one.slot === slot);
    const box = nodes[node].box;
    if (wire < 0) return [box.x + box.width - 34 - 62 * slot, box.y];
    const point = run.wires[wire].end;
    return [Math.min(point[0], box.x + box.width - 30), point[1]];
  };
  const chip = (x, y, tokens, css, what) => {
    if (!tokens.length) return;
    const first = payloadOf(tokens[0]), short = first.length > 9 ? first.slice(0, 8) + "…" : first;
    const text = tokens.length > 1 ? `${short} +${tokens.length - 1}` : short, width = 14 + 6.7 * text.length;
    const group = drawn("g", {class: `chip ${css}`});
    group.append(drawn("rect", {x: x - width / 2, y: y - 9, width, height: 18, rx: 9}));
    group.append(drawn("text", {x, y: y + 4, "text-anchor": "middle"}, text));
    group.append(drawn("title", {}, `${what}\n${tokens.slice(0, 20).map(tokenText).join("\n")}`));
    overlay.append(group);
  };
  const drawTokens = (held, step) => {
    overlay.replaceChildren();
    held.forEach((state, node) => {
      const box = nodes[node].box;
      state.inbox.forEach((tokens, slot) => {
        const isNew = step && step.do !== "proc" && step.to.some(([n, s]) => n === node && s === slot);
        chip(...ends(node, slot), tokens, isNew ? "new" : "", `${nodes[node].name}, inbox, ${nodes[node].slots[slot]}`);
      });
      const produced = step && step.do === "proc" && step.node === node && step.out.length;
      chip(box.x + box.width / 2, box.y + box.height, state.outbox, produced ? "out new" : "out",
        `${nodes[node].name}, outbox`);
      if (nodes[node].stores) {
        overlay.append(drawn("text", {class: "stored", x: box.x + box.width - 10, y: box.y + 15, "text-anchor": "end"},
          `${state.left.length} left · ${state.right.length} right`));
      }
    });
    boxes.forEach((box, order) => {
      const node = run.boxes[order];
      box.classList.toggle("active", Boolean(step) && (step.do === "arrive"
        ? step.to.some(([target]) => target === node) : step.node === node));
      box.classList.toggle("pinned", pinned === node);
    });
    wires.forEach((wire, order) => wire.classList.toggle("live",
      Boolean(step) && step.do === "prop" && run.wires[order].origin === step.node));
  };
  const travel = step => {
    if (step.do !== "prop" || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    wires.filter((_, order) => run.wires[order].origin === step.node).forEach(wire => {
      const dot = overlay.appendChild(drawn("circle", {class: "traveller", r: 6}));
      const length = wire.getTotalLength(), began = performance.now();
      const move = now => {
        const part = Math.min(1, (now - began) / 350), point = wire.getPointAtLength(part * length);
        dot.setAttribute("cx", point.x);
        dot.setAttribute("cy", point.y);
        part < 1 && dot.isConnected ? requestAnimationFrame(move) : dot.remove();
      };
      requestAnimationFrame(move);
    });
  };

  // --- The step in words, and as a figure ----------------------------------------------------------------------------
  const said = step => {
    if (!step) return run.first > 1 ? `Before step ${run.first.toLocaleString("en")}` : "Before the first step";
    if (step.do === "arrive") {
      const payload = run.tokens[step.token][0];
      const what = payload ? events(payload) : "No event, but a promise";
      return `${what} comes in: ${run.queues[step.queue]}, nothing before ${run.tokens[step.token][1][0]} from now on`;
    }
    const node = nodes[step.node].name;
    if (step.held) return run.faults[step.do].said.replace("NODE", node);
    if (step.do === "prop") {
      const targets = step.to.map(([target]) => nodes[target].name);
      return `${node} passes ${tokenText(step.token)} on${targets.length ? ` to ${targets.join(", ")}` : ""}`;
    }
    return `(${run.rules[step.rule].name}) fires at ${node} on the ${nodes[step.node].slots[step.slot]} token ${tokenText(step.token)}`;
  };
  const row = (formula, value, css) => {
    const made = make("div", `row ${css || ""}`), math = make("div", "formula");
    math.innerHTML = formula; // written by the page's generator, out of the rule's code
    made.append(math);
    if (value !== undefined) made.append(make("div", "value", value));
    return made;
  };
  const drawFigure = step => {
    const figure = at("figure");
    figure.replaceChildren();
    if (!step || step.do === "arrive") {
      figure.append(make("p", "quiet", step ? "The environment's step: an arrival enters the network where there is room."
        : "Take a step: the rule that fires stands here, with the value of each of its premises."));
      return;
    }
    if (step.held) {
      const fault = run.faults[step.do];
      figure.append(make("h3", "", fault.id), make("p", "quiet", fault.summary));
      return;
    }
    const rule = step.do === "proc" ? run.rules[step.rule] : run.passing;
    const texts = (step.lines || []).map(text => run.texts[text]);
    figure.append(make("h3", "", `(${rule.name})`), make("p", "quiet", `${rule.id}, D §${rule.section}. ${rule.summary}`));
    const lines = make("div", "inference");
    rule.premises.forEach((formula, order) => lines.append(row(formula, texts[order])));
    lines.append(make("hr"));
    rule.conclusion.forEach((formula, order) => lines.append(row(formula, texts[rule.premises.length + order])));
    figure.append(lines);
    for (const [asked, line, text] of step.asked || []) {
      const other = run.rules[asked];
      const made = make("div", "asked", `(${other.name}) does not apply: of its premises this one does not hold`);
      made.append(row(other.premises[line], run.texts[text]));
      figure.append(made);
    }
    if ("match" in step) figure.append(make("p", "match", `Match: ${run.texts[step.match]}`));
  };
  const drawDifferences = () => {
    const here = run.differences.filter(one => one.place === place);
    at("differences").replaceChildren(...here.map(one => make("p", "difference", `${one.kind}: ${one.sentence}`)));
  };

  // --- What a node holds ---------------------------------------------------------------------------------------------
  const drawStores = (held, step) => {
    const node = pinned ?? (step ? (step.do === "arrive" ? (step.to[0] || [0])[0] : step.node) : 0);
    const box = at("stores"), info = nodes[node];
    box.replaceChildren();
    if (!info) return;
    const mine = step && step.do === "proc" && step.node === node ? step : {};
    at("held").textContent = `What ${info.name} holds${pinned === null ? "" : " (chosen; Escape lets go)"}`;
    const list = make("dl");
    const line = (name, items, texts, gone = [], fresh = []) => {
      const value = make("dd");
      const left = fresh.slice();
      items.slice(0, 200).forEach(item => {
        const isNew = left.includes(item) && items.lastIndexOf(item) >= items.length - fresh.length;
        value.append(make("span", isNew ? "item added" : "item", texts(item)));
      });
      if (items.length > 200) value.append(make("span", "item", `and ${items.length - 200} more`));
      gone.forEach(item => value.append(make("s", "item", texts(item))));
      if (!value.childNodes.length) value.append(make("span", "quiet", "nothing"));
      list.append(make("dt", "", name), value);
    };
    held[node].inbox.forEach((tokens, slot) => line(`inbox, ${info.slots[slot]}`, tokens, tokenText,
      mine.slot === slot ? [mine.token] : []));
    if (info.stores) {
      for (const side of ["left", "right"]) {
        const [stored, removed] = mine[side] || [[], []];
        line(`${side} history`, held[node][side], entryText, removed, stored);
      }
    }
    line("outbox", held[node].outbox, tokenText, [], mine.out || []);
    info.bounds.forEach((name, order) => line(`promised, ${name}`, [held[node].bounds[order]], text => run.texts[text]));
    box.append(list);
  };

  // --- Moving --------------------------------------------------------------------------------------------------------
  const render = () => {
    const step = steps[place - 1], held = heldAfter(run, place), number = run.first - 1 + place;
    at("said").textContent = said(step);
    at("count").textContent = `step ${number.toLocaleString("en")} of ${run.total.toLocaleString("en")}`;
    at("slider").value = place;
    at("so-far").textContent = `${found.filter(one => one <= place).length} of ${found.length}`;
    drawTokens(held, step);
    drawFigure(step);
    drawDifferences();
    drawStores(held, step);
    const inHand = step && !step.held ? run.tokens[step.token][0] || [] : [];
    run.events.forEach(([id], event) => {
      for (const dot of dots.get(id) || []) {
        dot.classList.toggle("later", arrived.has(event) && arrived.get(event) > place);
        dot.classList.toggle("now", inHand.includes(event));
      }
    });
    at("back").disabled = at("first").disabled = place === 0;
    at("on").disabled = at("last").disabled = place === steps.length;
    at("match").disabled = nextOf(found, place) === undefined;
    at("difference").disabled = nextOf(differing, place) === undefined;
    document.body.dataset.step = number;
  };
  const bring = step => {
    const shown = document.querySelector(".network"), node = step && (step.do === "arrive" ? (step.to[0] || [0])[0] : step.node);
    if (node === undefined || !nodes[node]) return;
    const scale = network.getBoundingClientRect().width / network.viewBox.baseVal.width, box = nodes[node].box;
    shown.scrollTo({left: (box.x + box.width / 2) * scale - shown.clientWidth / 2,
      top: (box.y + box.height / 2) * scale - shown.clientHeight / 2});
  };
  const go = target => {
    if (target === undefined) return stop();
    const forward = target === place + 1;
    place = Math.max(0, Math.min(steps.length, target));
    render();
    bring(steps[place - 1]);
    if (forward && steps[place - 1]) travel(steps[place - 1]);
    try {
      history.replaceState(null, "", `#step=${run.first - 1 + place}`);
    } catch {} // within a notebook the page has no address of its own
  };
  const stops = () => stopsOf(run, at("grain").value);
  const stop = () => {
    clearInterval(playing);
    playing = null;
    at("play").textContent = "Play";
  };
  const commands = {
    first: () => go(0), last: () => go(steps.length), back: () => go(previousOf(stops(), place)),
    on: () => go(nextOf(stops(), place)), match: () => go(nextOf(found, place)),
    difference: () => go(nextOf(differing, place)),
    play: () => {
      if (playing !== null) return stop();
      at("play").textContent = "Pause";
      playing = setInterval(() => go(nextOf(stops(), place)), 700);
    },
  };
  for (const name in commands) at(name).addEventListener("click", commands[name]);
  const keys = {
    ArrowRight: commands.on, ArrowLeft: commands.back, Home: commands.first, End: commands.last, n: commands.match,
    N: () => go(previousOf(found, place)), l: commands.difference, L: () => go(previousOf(differing, place)),
    p: commands.play, g: () => { const grain = at("grain"); grain.selectedIndex = (grain.selectedIndex + 1) % 3; },
    Escape: () => { pinned = null; render(); },
  };
  addEventListener("keydown", event => {
    const command = keys[event.key];
    if (!command || event.ctrlKey || event.metaKey || event.altKey) return;
    if (["SELECT", "INPUT"].includes(event.target.tagName) && /^(Arrow|Home|End)/.test(event.key)) return;
    event.preventDefault();
    command();
  });
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  at("fit").addEventListener("change", () => {
    document.querySelector(".network").classList.toggle("fitted", at("fit").checked);
    bring(steps[place - 1]);
  });
  boxes.forEach((box, order) => box.addEventListener("click", () => {
    pinned = pinned === run.boxes[order] ? null : run.boxes[order];
    render();
  }));
  const linked = () => {
    const asked = /^#step=(\d+)$/.exec(location.hash);
    go(asked ? Number(asked[1]) - run.first + 1 : run.begin);
  };
  addEventListener("hashchange", linked);
  linked();
}
