/* The order of results of the search, by the scores of Sphinx: a word of the index has 100, a title or a word in a title
 * 15, a word of the text 5. A page with all words in its own title comes before others that have them in a heading. A
 * page of evidence that has the words in its text comes after all other pages. Attributes and modules of the API count
 * as words of a text; a term of the glossary counts as a heading. Between equals, the order of the navigation decides. */
"use strict";
const PLACES = {}; // the section of each page and its place there, from 0: docs/conf.py fills it in
const EVIDENCE = 4;
var Scorer = {
  score: ([page, title, , described, score, , kind]) => {
    const [section, place] = PLACES[page] ?? [EVIDENCE - 1, 99];
    const words = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/);
    const titled = new Set(title.toLowerCase().split(/[^\p{Letter}\p{Number}_]+/u));
    const own = kind === "text" && words.every((word) => titled.has(word) || titled.has(`${word}s`));
    if (kind === "index" && score < 100) score /= 20; // a part of a word of the index
    else if (kind === "index" && page === "glossary") score = 16;
    else if (own) score = 17;
    else if (kind === "text" && section === EVIDENCE) score /= 10;
    else if (kind === "title" && score >= 15) score += 1;
    else if (kind === "object") score = /function|class/.test(described) ? 14 : 4;
    return score - section / 10 - place / 1000;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
