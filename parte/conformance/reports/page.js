"use strict";
// The filter: of cases those are shown that have all the words and one of the verdicts; the rest of the page follows.
const form = document.querySelector("form[role=search]");
const words = form.elements.words;
const said = form.querySelector("output");
const cases = [...document.querySelectorAll(".case")].map(shown => ({
  shown, text: `${shown.textContent} ${shown.closest("article")?.querySelector("h3").textContent ?? ""}`.toLowerCase(),
  verdicts: shown.dataset.verdict.split(" "),
}));
const groups = [...document.querySelectorAll("article, details.profile")];

function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = [...form.querySelectorAll("[name=verdict]")].filter(box => box.checked).map(box => box.value);
  const all = !wanted.length && verdicts.length === form.querySelectorAll("[name=verdict]").length;
  for (const each of cases) {
    each.shown.hidden = !(wanted.every(word => each.text.includes(word)) && verdicts.some(v => each.verdicts.includes(v)));
  }
  for (const group of groups) {
    const left = group.querySelectorAll(".case:not([hidden])").length;
    group.hidden = !left;
    if (group.matches("details")) group.open = !all && left > 0;
  }
  const rows = [...document.querySelectorAll("tr.case")];
  said.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} cases`;
}

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== words && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    words.focus();
  } else if (event.key === "Escape") {
    form.reset();
    words.blur();
  }
});
filter();
