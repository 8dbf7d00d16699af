"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const names = new Map(data.ops.map((op, place) => [op.op, place]));
  const marks = new Map(data.marks.map((mark) => [mark.glyph, mark]));
  const detail = byId("detail");
  const filters = ["search", "family", "exporter", "opset", "status", "dtype"].map(byId);
  const [search, family, exporter, opset, status, dtype] = filters;
  let shown = data.ops.map((_, place) => place);
  let current = 0;

  /** An element with text or children; text is never read as markup. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const runs = (strip, first) => [...strip.matchAll(/(.)\1*/gs)].map(([run]) => {
    const from = first;
    first += run.length;
    return { run, from, to: first - 1, mark: marks.get(run[0]) };
  });
  const told = ({ from, to, mark }) => `${from === to ? from : `${from} to ${to}`}: ${mark.text}`;

  // The matrix: one element for each run of opsets that stand the same; the browser lays out only what is in sight.
  const drawStrip = (op, column, place) => {
    const parts = runs(op.strips[place], column.opsets[0]);
    const cell = make("span", { role: "cell", class: "strip" }, make("span", { class: "sr" }, parts.map(told).join("; ")));
    cell.style.setProperty("--opsets", column.opsets.length);
    for (const part of parts) {
      const run = make("b", { class: `m ${part.mark.css}`, title: told(part), "aria-hidden": "true" }, part.run);
      run.style.width = `calc(var(--cell) * ${part.run.length})`;
      cell.append(run);
    }
    return cell;
  };
  const rows = data.ops.map((op, place) => {
    const link = make("a", { href: `#${op.op}`, tabindex: place ? "-1" : "0" }, op.op);
    const row = make("div", { role: "row", class: "row" },
      make("span", { role: "rowheader", class: "name" }, link), make("span", { role: "cell", class: "family" }, op.family),
      ...data.columns.map((column, number) => drawStrip(op, column, number)));
    row.addEventListener("click", (event) => { if (event.target !== link) location.hash = op.op; });
    return { row, link, text: [op.op, op.arrives_as, op.reason, ...op.signature].join("\n").toLowerCase() };
  });
  byId("rows").append(...rows.map(({ row }) => row));

  const fill = (select, values) => select.append(...values.map((value) => make("option", { value }, String(value))));
  fill(family, [...new Set(data.ops.map((op) => op.family))].filter(Boolean).sort());
  fill(opset, [...new Set(data.columns.flatMap((column) => column.opsets))].sort((one, other) => one - other));
  fill(dtype, [...new Set(data.ops.flatMap((op) => op.dtypes))].sort());

  const stands = (op) => data.columns.some((column, number) => {
    if (exporter.value && column.name !== exporter.value) return false;
    if (!opset.value) return !status.value || op.strips[number].includes(status.value);
    const glyph = op.strips[number][Number(opset.value) - column.opsets[0]];
    return glyph !== undefined && (!status.value || glyph === status.value);
  });
  const setActive = (place) => {
    rows[current].link.tabIndex = -1;
    current = place;
    rows[current].link.tabIndex = 0;
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = [];
    data.ops.forEach((op, place) => {
      const fits = words.every((word) => rows[place].text.includes(word)) && (!family.value || op.family === family.value)
        && (!dtype.value || op.dtypes.includes(dtype.value)) && stands(op);
      rows[place].row.hidden = !fits;
      if (fits) shown.push(place);
    });
    byId("count").textContent = `${shown.length} of ${data.ops.length} operators`;
    if (shown.length && !shown.includes(current)) setActive(shown[0]);
  };
  for (const control of filters) control.addEventListener("input", filter);
  byId("filters").addEventListener("reset", () => setTimeout(filter));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());

  // Python, told apart by one expression: strings and comments first, then names and numbers.
  const PYTHON = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(#[^\n]*)|(@[\w.]+)|\b(and|as|assert|class|def|elif|else|for|from|if|import|in|is|lambda|not|or|pass|raise|return|while|with|yield|None|True|False)\b|\b(\d[\w.]*)/g;
  const highlighted = (code) => {
    const pre = make("pre", { tabindex: "0", role: "group", "aria-label": "code" });
    let end = 0;
    for (const found of code.matchAll(PYTHON)) {
      pre.append(code.slice(end, found.index));
      pre.append(make("span", { class: "scdkn"[found.slice(1).findIndex((group) => group !== undefined)] }, found[0]));
      end = found.index + found[0].length;
    }
    pre.append(code.slice(end));
    return pre;
  };

  const unpacked = new Map();
  const unpack = async (number) => {
    if (!unpacked.has(number)) {
      const bytes = Uint8Array.from(atob(byId(`chunk-${number}`).textContent.trim()), (character) => character.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpacked.set(number, JSON.parse(await new Response(stream).text()));
    }
    return unpacked.get(number);
  };
  const drawing = (text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "the plan as a graph" }, document.importNode(parsed, true));
  };
  const section = (title, ...parts) => parts.length ? [make("h3", {}, title), ...parts] : [];
  const declared = ([text, place]) => make("div", {}, highlighted(text), make("div", { class: "place" }, place));
  const linked = (url) => make("a", { href: url, rel: "noreferrer" }, url);

  const describe = (op, more) => {
    const standing = data.columns.flatMap((column, number) => runs(op.strips[number], column.opsets[0])
      .map((part) => make("li", {}, `${column.title}, opset ${told(part)}`)));
    const body = [];
    if (op.arrives_as !== op.op) body.push(make("p", {}, `It reaches the TorchScript exporter as ${op.arrives_as}.`));
    if (op.reason) body.push(make("p", {}, `Neither serves it: ${op.reason}.`));
    if (op.link) body.push(make("p", {}, "What would change that: ", linked(op.link)));
    body.push(...section("Where it stands", make("ul", {}, ...standing), ...op.apart.map((text) => make("p", {}, text))));
    body.push(...section("Signature", ...more.stubs.map(declared), ...more.overloads.map(declared)));
    if (more.onnx) body.push(...section("ONNX", make("p", {}, `${more.onnx.name}, since opset ${more.onnx.since}: `, linked(more.onnx.link))));
    body.push(...section("What torch's own refuses", ...more.refuses.map((text) => make("p", {}, text))));
    if (more.graph) body.push(...section("The plan", drawing(more.graph), highlighted(more.plan)));
    body.push(...section("Strategies", ...more.candidates.map((text) => make("p", {}, text))));
    for (const { title, code } of more.code) body.push(...section(title, highlighted(code)));
    for (const proof of more.evidence) {
      body.push(...section(proof.title, make("p", {}, proof.text), ...proof.faults.map((text) => make("p", { class: "fault" }, text))));
    }
    body.push(...section("Reproduction", highlighted(more.reproduction)));
    return body;
  };
  const open = async (place) => {
    const op = data.ops[place];
    setActive(place);
    byId("detail-title").textContent = op.op;
    document.title = `${op.op} · ${data.title}`;
    byId("detail-body").replaceChildren();
    if (!detail.open) detail.showModal();
    byId("detail-title").focus();
    detail.scrollTop = 0;
    let parts;
    try {
      parts = describe(op, (await unpack(Math.floor(place / data.per_chunk)))[place % data.per_chunk]);
    } catch {
      parts = [make("p", {}, "This browser can't unpack the details; one with DecompressionStream can.")];
    }
    if (current === place) byId("detail-body").replaceChildren(...parts);
  };
  detail.addEventListener("close", () => {
    document.title = data.title;
    history.replaceState(null, "", location.pathname + location.search);
    rows[current].link.focus();
  });
  const asked = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  };
  const route = () => {
    const place = names.get(asked());
    if (place !== undefined) open(place);
    else if (detail.open) detail.close();
  };
  const step = (by) => {
    const next = shown[shown.indexOf(current) + by];
    if (next !== undefined) location.hash = data.ops[next].op;
  };
  byId("close").addEventListener("click", () => detail.close());
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("rows").addEventListener("keydown", (event) => {
    const at = shown.indexOf(current);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + 20, PageUp: at - 20 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setActive(shown[Math.max(0, Math.min(shown.length - 1, to))]);
    rows[current].link.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || detail.open || event.target.matches("input, select")) return;
    event.preventDefault();
    search.focus();
  });
  byId("theme").addEventListener("click", () => {
    const style = document.documentElement.style;
    const dark = style.colorScheme ? style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    style.colorScheme = dark ? "light" : "dark";
  });
  addEventListener("hashchange", route);
  filter();
  // The details stand behind this script: a link into the page waits for them.
  document.addEventListener("DOMContentLoaded", route);
})();
