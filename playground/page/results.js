// Answers as elements of the page. Whatever comes from a program or a trace is put there as text, or as an image.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "sandbox") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Milliseconds since 1970, from 1973 on, as a date: smaller numbers are times of examples that count from nought.
const EPOCH = 1e11;
const time = (value) =>
  Number.isInteger(value) && value >= EPOCH && value < 8e15 ? new Date(value).toISOString().replace(".000Z", "Z") : String(value);

function shown(key, value) {
  if (Array.isArray(value)) return value.map((each) => shown("", each)).join(", ");
  if (value !== null && typeof value === "object") {
    if (typeof value.template === "string" && "timestamp" in value) {
      const attributes = shown("", value.attributes ?? {});
      return `${value.template} at ${time(value.timestamp)}${attributes && `: ${attributes}`}`;
    }
    return Object.entries(value).map(([name, each]) => `${name} = ${shown(name, each)}`).join(", ");
  }
  if (["timestamp", "start", "end"].includes(key)) return time(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Matches as a table. With `why`, every one of them can be asked about.
export function table(matches, why) {
  const columns = [...new Set(matches.flatMap(Object.keys))];
  const head = columns.map((column) => element("th", { scope: "col" }, column));
  if (why) head.unshift(element("th", { scope: "col" }, element("span", { className: "unseen" }, "why")));
  const rows = matches.map((match) => {
    const cells = columns.map((column) => element("td", {}, ...cell(column, match[column])));
    if (why) {
      const button = element("button", { type: "button", className: "small", title: "Why is this a match?" }, "why?");
      button.onclick = () => why(match);
      cells.unshift(element("td", {}, button));
    }
    return element("tr", {}, ...cells);
  });
  const body = element("tbody", {}, ...rows);
  const label = { tabIndex: 0, role: "group", "aria-label": "Matches" };
  return element("div", { className: "wide", ...label }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), body));
}

function cell(column, value) {
  if (value === undefined) return [];
  if (column === "bindings" && value !== null && typeof value === "object") {
    return Object.entries(value).map(([name, bound]) =>
      element("span", { className: "bound" }, element("b", {}, name), ` ${shown(name, bound)}`));
  }
  if (column === "emits" && Array.isArray(value)) {
    return value.map((each) => element("span", { className: "line" }, shown("", each)));
  }
  return [shown(column, value)];
}

// A drawing: an image, in which nothing runs. What it was before is given back to the browser.
const MOST_SHRUNK = 1.7; // times as wide as there is room: what would be shrunk more is moved instead
let drawn = "";

function kept(content, type) {
  URL.revokeObjectURL(drawn);
  drawn = URL.createObjectURL(new Blob([content], { type }));
}

export function drawing(svg, name) {
  kept(svg, "image/svg+xml");
  const [, title = name] = /<title>([^<&]*)/.exec(svg) ?? [];
  const image = element("img", { src: drawn, alt: title });
  const fit = element("input", { type: "checkbox" });
  fit.onchange = () => image.classList.toggle("fit", fit.checked);
  image.onload = () => {
    fit.checked = image.naturalWidth <= MOST_SHRUNK * image.parentElement.clientWidth;
    fit.onchange();
  };
  const saved = element("a", { href: drawn, download: `${name}.svg` }, "Save as SVG");
  const above = element("p", { className: "above" }, element("label", {}, fit, " all of it"), saved);
  return [above, element("div", { className: "wide drawing", tabIndex: 0, role: "group", "aria-label": title }, image)];
}

// A page of its own, with the one script that the policy knows: it can reach neither this page nor anything else.
export function framed(html, name) {
  kept(html, "text/html");
  const saved = element("a", { href: drawn, download: `${name}.html` }, "Save as a page");
  const frame = element("iframe", { sandbox: "allow-scripts", srcdoc: html, title: "The run, step by step" });
  return [element("p", { className: "above" }, saved), frame];
}

export const text = (written) => element("pre", {}, written);
