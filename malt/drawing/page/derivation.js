unpack("derivations").then(all => {
const $ = selector => document.querySelector(selector);
const slider = $("[name=step]"), select = $("[name=sentence]"), hide = $("[name=hide]"), box = $(".tree-box");
let one = all[0], at = 0;
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

function place(title, nodes, kind, end) {
  const place = make("div", "place " + kind), chips = make("div", "chips");
  const heading = make("h3", "", title);
  if (kind.includes(" active")) heading.append(make("span", "badge", "active"));
  for (const [i, node] of nodes.entries()) chips.append(chip(node, i === end));
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

function beginning(waiting) {
  if (one.rest === "buffer") return "all words are in the buffer.";
  return waiting < one.words.length ? "the first word is on the left, all others wait on the right." : "all words wait on the right.";
}

// The new things that are seen are put there by textContent; only the picture, made beforehand, is markup.
function start() {
  box.innerHTML = one.svg;
  slider.max = one.steps.length;
  const buttons = one.steps.map((step, i) => {
    const button = make("button", "", step.text);
    button.type = "button";
    button.addEventListener("click", () => go(i + 1));
    return button;
  });
  $(".history").replaceChildren(...buttons);
  go(0);
}

function go(wanted) {
  at = Math.max(0, Math.min(one.steps.length, wanted));
  const state = one.states[at], several = one.places.length > 1 && state.active >= 0;
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
  const held = new Set(state.stacks.flat()), waiting = new Set(state.buffer);
  const stack = state.stacks[Math.max(state.active, 0)];
  const top = stack[stack.length - 1], front = state.buffer[0];
  for (const element of box.querySelectorAll("[data-word]")) {
    const word = Number(element.dataset.word);
    element.classList.toggle("gone", !held.has(word) && !waiting.has(word));
    element.classList.toggle("top", word === top);
    element.classList.toggle("front", word === front);
    if (word === (front ?? one.words.length) && box.scrollWidth > box.clientWidth) {
      const middle = element.getBoundingClientRect().left - box.getBoundingClientRect().left + box.scrollLeft;
      box.scrollLeft = middle - box.clientWidth / 2;
    }
  }

  // Stacks and buffer.
  const rows = one.places.map((title, i) =>
    place(title, state.stacks[i], `stack${several ? ` s${i % 4}` : ""}${several && i === state.active ? " active" : ""}`,
          state.active >= 0 || i === 0 ? state.stacks[i].length - 1 : -1));
  const stacks = make("div", "stacks");
  stacks.append(...rows);
  $(".places").replaceChildren(stacks, place(one.rest, state.buffer, "rest", 0));
  for (const row of rows) row.lastChild.scrollLeft = row.lastChild.scrollWidth;
  document.querySelectorAll(".chips").forEach(edges);

  // What was done, and what comes.
  const done = $(".done"), last = one.steps[at - 1];
  done.replaceChildren();
  if (last) {
    done.append(make("div", `move p${Math.max(last.plane, -1) % 4}`, last.text), make("p", "", last.said));
    if (last.remark) done.append(make("p", "soft small", last.remark));
    if (last.rule) done.append(make("p", "soft small", ""));
    if (last.rule) done.lastChild.append(make("code", "", last.rule));
  } else done.append(make("p", "", "This is where every derivation begins: " + beginning(state.buffer.length)));
  coming(one.steps[at]);
  values(one.steps[at]);
  for (const [i, button] of [...$(".history").children].entries()) {
    button.className = i + 1 === at ? "here" : i < at ? "past" : "";
    button.setAttribute("aria-current", i + 1 === at ? "step" : "false");
  }
  $(".remarks").replaceChildren(...(at === one.steps.length ? one.remarks.map(text => make("p", "", text)) : []));
}

function coming(next) {
  const shown = $(".coming");
  shown.replaceChildren();
  document.body.classList.toggle("hidden-next", hide.checked);
  if (!next) return shown.append(make("p", "", "Nothing: the derivation is complete."));
  shown.append(make("p", "soft small", "Permissible: " + (next.legal.join(", ") || "nothing")));
  if (hide.checked) return shown.append(make("p", "", "?"));
  shown.append(make("div", `move p${Math.max(next.plane, -1) % 4}`, next.text));
  if (next.remark) shown.append(make("p", "soft small", next.remark));
  if (next.groups.length) {
    const scores = make("div", "scores"), every = next.groups.flat().map(item => item[1]);
    const least = Math.min(0, ...every), span = Math.max(...every, 1e-9) - least || 1;
    for (const [i, group] of next.groups.entries()) {
      if (i) scores.append(make("div", "again"));
      for (const [symbol, score, taken] of group) {
        const level = make("div", "level" + (taken ? " taken" : ""));
        level.style.width = `${(100 * (score - least)) / span}%`;
        scores.append(make("code", taken ? "taken" : "", symbol), level, make("span", "value" + (taken ? " taken" : ""), score.toPrecision(4)));
      }
    }
    shown.append(scores, make("p", "soft small", "Scores of the best candidates; the first that is permissible is taken."));
  }
}

function values(next) {
  const known = next ? next.values : [];
  $(".knowledge").hidden = !known.length;
  $(".values").replaceChildren(...known.map(([name, value]) => {
    const row = make("div");
    row.append(make("code", "", name), make("b", "", value));
    return row;
  }));
}

const ways = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => one.steps.length };
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
