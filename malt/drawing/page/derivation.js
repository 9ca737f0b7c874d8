unpack("derivations").then(({ system, all }) => {
const SHOWN = 60, NEAR = 400;  // words of a place, and transitions of a long derivation, that are shown
const $ = selector => document.querySelector(selector);
const slider = $("[name=step]"), select = $("[name=sentence]"), hide = $("[name=hide]"), box = $(".tree-box");
for (const one of all) one.steps = one.steps.map(step => Object.fromEntries(step.map((value, i) => [system.fields[i], value])));
let one = all[0], at = 0, state;
const make = (name, kind, text) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
};

function chip(node, end) {
  const chip = make("span", "chip" + (end ? " end" : "") + (node === 0 ? " root" : ""));
  const form = isolated(node === 0 ? "root" : one.words[node - 1], one.right);
  chip.title = form.textContent;
  chip.append(form, make("small", "", node));
  return chip;
}

// Where every word is. The buffer has words that were put back, the front last, then all from `rest` on, and the root if
// it is last.
function begin() {
  return { stacks: Array.from({ length: system.stacks }, () => (system.last.length ? [] : [0])), active: 0, back: [], rest: 1, left: system.left, right: system.left + 1 };
}

// Each step says what it changes: the arc that it makes, the active stack, and for each place how many words leave it,
// how many come, and which. What it does is said, too; words that leave a place and come to it again have not moved.
function make_step([word, head, ...change]) {
  const move = { arc: word > 0 ? [head, word] : null, active: state.active, shifted: [], returned: [], reduced: [] };
  if (!system.stacks) {
    [state.left, state.right] = change;
    return move;
  }
  let i = 1;
  const come = () => change.slice(i + 2, i + 2 + change[i + 1]), exchanged = [];
  state.active = change[0];
  for (const stack of state.stacks) {
    exchanged.push([stack.splice(stack.length - change[i]), come()]);
    stack.push(...exchanged.at(-1)[1]);
    i += 2 + change[i + 1];
  }
  const back = come(), gone = [];
  while (gone.length < change[i]) gone.push(state.back.length ? state.back.pop() : state.rest++);
  state.back.push(...back);
  move.shifted = gone.filter(node => !back.includes(node));
  move.returned = back.filter(node => !gone.includes(node)).reverse();
  move.reduced = exchanged.map(([old, now]) => old.filter(node => !now.includes(node) && !back.includes(node)));
  return move;
}

// In words, what the last step did.
function said({ arc, active, shifted, returned, reduced }) {
  const name = node => (is_root(node) ? "the root" : `“${one.words[node - 1]}”`), several = system.stacks > 1;
  const parts = arc ? [`an arc from ${name(arc[0])} to ${name(arc[1])}`] : [];
  if (!system.stacks) {
    if (state.right > one.words.length + system.last.length) parts.push("no word is left");
    else if (state.left === state.right - 1) parts.push(`${name(state.right)} is looked at next`);
    else parts.push(`${name(state.left)} is looked at next, on the left`);
  } else {
    parts.push(...shifted.map(node => `${name(node)} goes from the buffer to ${several ? "all stacks" : "the stack"}`));
    parts.push(...returned.map(node => `${name(node)} goes back to the buffer`));
    for (const [i, nodes] of reduced.entries())
      parts.push(...nodes.map(node => `${name(node)} leaves ${several ? `stack ${i + 1}` : "the stack"}`));
    if (active !== state.active) parts.push(`stack ${state.active + 1} becomes the active one`);
  }
  const text = parts.join("; ") || "nothing changes";
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function reach(wanted) {
  if (!state || wanted < at) [state, at] = [begin(), 0];
  for (; at < wanted; at++) state.move = make_step(one.steps[at].change);
}

// The colour of a transition: of the stack with which it makes an arc.
const colour = (arc, active) => `move p${arc ? active % 4 : -1}`;

// In lists, the place after all words is that of the root if it is last.
const is_root = node => node === 0 || node > one.words.length;

const span = (from, to, most) => Array.from({ length: Math.max(0, Math.min(to - from, most)) }, (_, i) => from + i);

// The words of each place that are shown, how many there are, and whether a word is somewhere.
function seen() {
  const words = one.words.length;
  if (!system.stacks) {
    const end = words + 1 + system.last.length, right = Math.min(state.right, end), between = state.left + 1;
    const nodes = (from, to) => span(from, to, SHOWN).map(node => (is_root(node) ? 0 : node));
    const left = Math.max(system.left, between - SHOWN);
    return {
      stacks: [[nodes(left, between), between - system.left], [nodes(between, right), Math.max(0, right - between)]],
      buffer: [nodes(state.right, end), Math.max(0, end - state.right)], somewhere: () => true,
    };
  }
  const back = state.back.slice(-SHOWN).reverse(), held = new Set([...state.back, ...state.stacks.flat()]);
  return {
    stacks: state.stacks.map(stack => [stack.slice(-SHOWN), stack.length]),
    buffer: [[...back, ...span(state.rest, words + 1, SHOWN - back.length), ...system.last],
      state.back.length + words + 1 - state.rest + system.last.length],
    somewhere: word => word >= state.rest || held.has(word) || system.last.includes(word),
  };
}

function place(title, [nodes, count], kind, end) {
  const place = make("div", "place " + kind), chips = make("div", "chips");
  const heading = make("h3", "", title);
  if (kind.includes(" active")) heading.append(make("span", "badge", "active"));
  for (const [i, node] of nodes.entries()) chips.append(chip(node, i === end));
  const more = make("span", "nothing", `${count - nodes.length} more`);
  if (count > nodes.length) kind.startsWith("rest") ? chips.append(more) : chips.prepend(more);
  if (!nodes.length) chips.append(make("span", "nothing", "empty"));
  chips.tabIndex = 0;
  chips.addEventListener("scroll", () => edges(chips));
  place.append(heading, chips);
  return place;
}

// Where words go on beyond the edge of a row, the edge fades.
function edges(chips) {
  chips.classList.toggle("before", chips.scrollLeft > 1);
  chips.classList.toggle("after", chips.scrollLeft + chips.clientWidth < chips.scrollWidth - 1);
}

function beginning() {
  if (system.stacks) return "all words are in the buffer.";
  return system.left ? "the first word is on the left, all others wait on the right." : "all words wait on the right.";
}

// The new things that are seen are put there by textContent; only the picture, made beforehand, is markup.
function start() {
  box.innerHTML = one.svg;
  if (one.note) box.append(make("p", "soft small", one.note));
  slider.max = one.steps.length;
  $("[data-go=leaves]").hidden = one.leaves < 0;
  state = undefined;
  go(0);
}

// All transitions, or of a long derivation those that are near.
function history() {
  const last = one.steps.length, from = last <= 2 * NEAR ? 0 : Math.max(0, Math.min(at - NEAR, last - 2 * NEAR));
  const to = Math.min(last, from + 2 * NEAR), box = $(".history");
  if (box.one !== one || box.from !== from) {
    const buttons = one.steps.slice(from, to).map((step, i) => {
      const button = make("button", "", step.text);
      button.type = "button";
      button.addEventListener("click", () => go(from + i + 1));
      return button;
    });
    const left_out = make("p", "soft small", `Transitions ${from + 1} to ${to} of ${last}`);
    box.replaceChildren(...buttons, ...(last > 2 * NEAR ? [left_out] : []));
    [box.one, box.from] = [one, from];
  }
  for (const [i, button] of [...box.querySelectorAll("button")].entries()) {
    const number = from + i + 1;
    button.className = (number === at ? "here" : number < at ? "past" : "") + (number === one.leaves + 1 ? " leaves" : "");
    if (number === one.leaves + 1) button.title = `the parser leaves the gold derivation, which has ${one.gold}`;
    button.setAttribute("aria-current", number === at ? "step" : "false");
  }
}

function go(wanted) {
  reach(Math.max(0, Math.min(one.steps.length, wanted)));
  const { stacks: piles, buffer, somewhere } = seen(), several = system.stacks > 1;
  slider.value = at;
  $("output.step").textContent = `${at} of ${one.steps.length}`;
  for (const [key, off] of [["first", at === 0], ["back", at === 0], ["next", at === one.steps.length], ["last", at === one.steps.length]])
    $(`[data-go=${key}]`).disabled = off;

  // The tree: arcs made so far, and where each word is.
  for (const element of box.querySelectorAll("[data-step]")) {
    const time = Number(element.dataset.step);
    element.classList.toggle("made", time <= at);
    element.classList.toggle("new", time === at);
  }
  const top = piles[system.stacks ? state.active : 0][0].at(-1), front = buffer[0][0];
  for (const element of box.querySelectorAll("[data-word]")) {
    const word = Number(element.dataset.word);
    element.classList.toggle("gone", !somewhere(word));
    element.classList.toggle("top", word === top);
    element.classList.toggle("front", word === front);
    if (word === (front ?? one.words.length) && box.scrollWidth > box.clientWidth) {
      const middle = element.getBoundingClientRect().left - box.getBoundingClientRect().left + box.scrollLeft;
      box.scrollLeft = middle - box.clientWidth / 2;
    }
  }

  // Stacks and buffer.
  const rows = system.places.map((title, i) =>
    place(title, piles[i], `stack${several ? ` s${i % 4}` : ""}${several && i === state.active ? " active" : ""}`,
          system.stacks || i === 0 ? piles[i][0].length - 1 : -1));
  const stacks = make("div", "stacks");
  stacks.append(...rows);
  $(".places").replaceChildren(stacks, place(system.rest, buffer, "rest", 0));
  for (const row of rows) row.lastChild.scrollLeft = row.lastChild.scrollWidth;
  document.querySelectorAll(".chips").forEach(edges);

  // What was done, and what comes.
  const done = $(".done"), last = one.steps[at - 1], rule = last && system.rules[last.text.split("~")[0]];
  done.replaceChildren();
  if (last) {
    done.append(make("div", colour(state.move.arc, state.move.active), last.text), make("p", "", said(state.move)));
    if (last.remark) done.append(make("p", "soft small", last.remark));
    if (rule) done.append(make("p", "soft small", ""));
    if (rule) done.lastChild.append(make("code", "", rule));
    if (at === one.leaves + 1) done.append(make("p", "mistake", `Here the parser leaves the gold derivation, which has ${one.gold}.`));
  } else done.append(make("p", "", "This is where every derivation begins: " + beginning()));
  coming(one.steps[at]);
  values(one.steps[at]);
  history();
  $(".remarks").replaceChildren(...(at === one.steps.length ? one.remarks.map(text => make("p", "", text)) : []));
}

function coming(next) {
  const shown = $(".coming");
  shown.replaceChildren();
  document.body.classList.toggle("hidden-next", hide.checked);
  if (!next) return shown.append(make("p", "", "Nothing: the derivation is complete."));
  const permitted = system.names.filter((_, i) => Math.floor(next.permitted / 2 ** i) % 2);
  shown.append(make("p", "soft small", "Permissible: " + (permitted.join(", ") || "nothing")));
  if (hide.checked) return shown.append(make("p", "", "?"));
  shown.append(make("div", colour(next.change[0] > 0, state.active), next.text));
  if (next.remark) shown.append(make("p", "soft small", next.remark));
  if (at === one.leaves) shown.append(make("p", "mistake", `This is not what the gold derivation has here: ${one.gold}.`));
  if (next.groups?.length) {
    const [name, label] = next.text.split("~"), scores = make("div", "scores"), every = next.groups.flat().map(item => item[1]);
    const least = Math.min(0, ...every), span = Math.max(...every, 1e-9) - least || 1;
    for (const [i, group] of next.groups.entries()) {
      if (i) scores.append(make("div", "again"));
      for (const [symbol, score] of group) {
        const taken = [next.text, name, label].includes(symbol), level = make("div", "level" + (taken ? " taken" : ""));
        level.style.width = `${(100 * (score - least)) / span}%`;
        scores.append(make("code", taken ? "taken" : "", symbol), level, make("span", "value" + (taken ? " taken" : ""), score.toPrecision(4)));
      }
    }
    const how = next.beam ? "the beam compares sums of them." : "the first that is permissible is taken.";
    shown.append(scores, make("p", "soft small", "Scores of the best candidates; " + how));
  }
  if (next.beam) shown.append(beam(next.beam));
}

// The hypotheses after a choice, and those that just fell out.
function beam({ number, rows }) {
  const table = make("table", "beam"), head = make("tr");
  head.append(...[`beam ${number}`, "total", "choice", "of", ""].map(text => make("th", "", text)));
  table.append(head);
  for (const [place, total, choice, past, remark] of rows) {
    const row = make("tr", place ? remark.includes("taken") ? "taken" : "" : "out"), code = make("td");
    code.append(make("code", "", choice));
    row.append(make("td", "", place || "out"), make("td", "", total.toFixed(2)), code, make("td", "", past), make("td", "", remark));
    table.append(row);
  }
  return table;
}

function values(next) {
  const known = next?.values ?? [];
  $(".knowledge").hidden = !known.length;
  $(".values").replaceChildren(...known.map(([name, value]) => {
    const row = make("div");
    row.append(make("code", "", name), make("b", "", value));
    return row;
  }));
}

const ways = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => one.steps.length, leaves: () => one.leaves };
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(ways[button.dataset.go]()));
slider.addEventListener("input", () => go(Number(slider.value)));
window.addEventListener("resize", () => document.querySelectorAll(".chips").forEach(edges));
hide.addEventListener("change", () => go(at));
if (select) select.addEventListener("change", () => { one = all[Number(select.value)]; start(); });
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  const way = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
  if (!way) return;
  event.preventDefault();
  go(ways[way]());
});
start();
document.body.dataset.ready = "yes";
});
