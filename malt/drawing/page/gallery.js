unpack("sentences").then(all => {
const list = document.querySelector("ol.sentences"), form = document.querySelector(".filters");
const field = name => form.elements[name];
const make = (name, kind, text) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
};
const percent = share => (share === null ? "-" : (100 * share).toFixed(1));

// A tree is put in when it comes near the window, and not before.
const near = new IntersectionObserver(found => {
  for (const entry of found) if (entry.isIntersecting) fill(entry.target);
}, { rootMargin: "800px" });

function fill(box) {
  near.unobserve(box);
  const one = box.sentence, below = field("planes") && field("planes").value === "below" && one.below;
  box.replaceChildren();
  const scroll = make("div", "scroll");
  scroll.tabIndex = 0;
  scroll.innerHTML = below ? one.below : one.svg;
  box.append(scroll);
  // What is written from the right begins at the right.
  if (one.right) scroll.scrollLeft = scroll.scrollWidth;
  if (one.note) box.append(make("p", "soft small", one.note));
}

// The sentence as it is written, or its words one after another. Where some of these are written from the right, each
// stands for itself.
function line(one) {
  const text = make("bdi");
  text.dir = one.right ? "rtl" : "ltr";
  if (one.text) text.textContent = one.text;
  else if (!FROM_RIGHT.test(one.words.join(""))) text.textContent = one.words.join(" ");
  else for (const word of one.words) text.append(text.firstChild ? " " : "", isolated(word, one.right));
  return text;
}

function open(item, wanted) {
  const button = item.firstChild, box = item.lastChild;
  button.setAttribute("aria-expanded", wanted);
  box.hidden = !wanted;
  if (wanted) near.observe(box);
}

for (const one of all) {
  const item = make("li"), row = make("button", "row"), box = make("div", "picture");
  row.type = "button";
  const words = make("span", "words");
  words.append(line(one));
  row.append(make("span", "place", one.number), words);
  const marks = make("span", "marks");
  if (one.name) row.title = one.name;
  if (one.wrongHeads) marks.append(make("span", "badge head", one.wrongHeads + (one.wrongHeads > 1 ? " heads" : " head")));
  if (one.wrongLabels) marks.append(make("span", "badge label", one.wrongLabels + (one.wrongLabels > 1 ? " labels" : " label")));
  const shape = one.planes > 1 ? make("span", "badge c2", one.planes + "-planar")
    : one.projective ? null : make("span", "badge c4", "non-projective");
  if (shape && one.counts) shape.title = "the tree of the gold standard";
  if (shape) marks.append(shape);
  row.append(marks);
  if (one.counts) {
    const [words, heads] = one.counts, score = make("span", "score", percent(one.las));
    score.title = `LAS ${percent(one.las)}, UAS ${percent(words ? heads / words : null)}, of ${words} words that count`;
    row.append(score);
  }
  box.sentence = item.sentence = one;
  box.hidden = true;
  row.setAttribute("aria-expanded", "false");
  row.addEventListener("click", () => open(item, box.hidden));
  item.append(row, box);
  list.append(item);
  one.item = item;
  one.lower = one.words.map(word => word.toLowerCase());
}

const orders = {
  file: (a, b) => a.number - b.number,
  worst: (a, b) => (a.las ?? 2) - (b.las ?? 2) || a.number - b.number,
  longest: (a, b) => b.words.length - a.words.length || a.number - b.number,
};

function choose() {
  const word = field("word").value.trim().toLowerCase(), label = field("label").value;
  const longer = parseInt(field("longer").value) || 0, on = name => field(name) && field(name).checked;
  let shown = 0;
  for (const one of all) {
    const fits = (!word || one.lower.some(other => other.includes(word)))
      && (!label || one.labels.includes(label)) && one.words.length > longer
      && (!on("nonprojective") || !one.projective) && (!on("nonplanar") || one.planes > 1)
      && (!on("heads") || one.wrongHeads) && (!on("labels") || one.wrongLabels);
    one.item.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  document.querySelector(".count").textContent =
    shown === all.length ? `${all.length} ${all.length === 1 ? "sentence" : "sentences"}` : `${shown} of ${all.length} sentences`;
}

function sort() {
  list.append(...[...all].sort(orders[field("order").value]).map(one => one.item));
}

form.addEventListener("input", event => {
  if (event.target.name === "order") sort();
  else if (event.target.name === "planes") {
    for (const item of list.children) if (!item.lastChild.hidden && item.lastChild.childNodes.length) fill(item.lastChild);
  } else if (event.target.name === "fit") list.classList.toggle("fit", event.target.checked);
  else choose();
});
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => {
  sort();
  list.classList.remove("fit");
  choose();
}));
for (const button of document.querySelectorAll("button[data-open]")) {
  button.addEventListener("click", () => {
    for (const item of list.children) if (!item.hidden) open(item, button.dataset.open === "yes");
  });
}
list.addEventListener("keydown", event => {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!step || !event.target.classList.contains("row")) return;
  let item = event.target.parentNode[step];
  while (item && item.hidden) item = item[step];
  if (item) item.firstChild.focus();
  event.preventDefault();
});
sort();
choose();
for (const item of [...list.children].slice(0, all.length <= 20 ? 20 : 1)) open(item, true);
document.body.dataset.ready = "yes";
});
