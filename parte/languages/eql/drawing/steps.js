"use strict";
const steps = [...document.querySelectorAll(".step")], slider = document.getElementById("slider");
const seen = {}; // the first step that has an event, by its id
steps.forEach((step, place) => JSON.parse(step.dataset.events).forEach(id => { seen[id] ??= place; }));
let now = 0;
function show(place) {
  now = Math.min(Math.max(place, 0), steps.length - 1);
  steps.forEach((step, other) => { step.hidden = other !== now; });
  slider.value = now;
  document.getElementById("count").textContent = `${now + 1} of ${steps.length}`;
  document.getElementById("said").textContent = steps[now].dataset.title;
  for (const dot of document.querySelectorAll("[data-event]")) {
    const place = seen[dot.dataset.event] ?? Infinity;
    dot.classList.toggle("later", place > now);
    dot.classList.toggle("now", place === now);
  }
  history.replaceState(null, "", `#step=${now + 1}`);
}
const result = () => steps.findIndex((step, place) => place > now && step.dataset.results !== "0");
const moves = {
  first: () => show(0), back: () => show(now - 1), on: () => show(now + 1), last: () => show(steps.length - 1),
  result: () => { const place = result(); if (place > 0) show(place); },
};
for (const [id, move] of Object.entries(moves)) document.getElementById(id).addEventListener("click", move);
const keys = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last", n: "result" };
document.addEventListener("keydown", event => {
  if (event.target !== slider && !event.ctrlKey && !event.metaKey && keys[event.key]) moves[keys[event.key]]();
});
slider.addEventListener("input", () => show(Number(slider.value)));
const asked = () => show(Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 1) - 1);
window.addEventListener("hashchange", asked);
asked();
