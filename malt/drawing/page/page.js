"use strict";
// What markup.data and markup.packed have put into the page.
async function unpack(name) {
  const place = document.getElementById(name);
  if (place.type === "application/json") return JSON.parse(place.textContent);
  const bytes = Uint8Array.from(atob(place.textContent), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// Scripts that are written from the right, and a word that has no part in the direction of others. A word without letters
// has the direction of its sentence, so that brackets face the right way.
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
function isolated(word, right) {
  const element = document.createElement("bdi");
  element.textContent = word;
  element.dir = /\p{L}/u.test(word) ? "auto" : right ? "rtl" : "ltr";
  return element;
}

for (const head of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const table = head.closest("table"), place = [...head.parentNode.children].indexOf(head);
    const key = row => row.children[place].dataset.value ?? row.children[place].textContent.trim();
    const number = row => parseFloat(key(row).replace(/,/g, "").replace("\u2212", "-"));
    const rows = [...table.tBodies[0].rows], down = head.getAttribute("aria-sort") !== "descending";
    const numeric = head.classList.contains("number");
    const order = numeric ? (a, b) => (number(a) || 0) - (number(b) || 0) : (a, b) => key(a).localeCompare(key(b));
    rows.sort((a, b) => (down === numeric ? order(b, a) : order(a, b)));
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down === numeric ? "descending" : "ascending");
    table.tBodies[0].append(...rows);
  });
}
