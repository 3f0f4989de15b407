// Page "Course": ten levels, each a theorem of the set `course`; the browser remembers which are solved.
import { keepFiles, make, Widget } from "./widget.js";

const KEPT = "lean-gym-course";
const [list, title, text, hint, more, next] = ["levels", "title", "text", "hint", "more", "next"].map((id) =>
  document.getElementById(id),
);
const read = async (name) => (await fetch(name)).json();
const [levels, sets] = await Promise.all([read("levels.json"), read("theorems.json")]);
const statements = new Map(sets.course.map(([name, statement]) => [name, statement]));
const solved = new Set(remembered());
const widget = new Widget(document.getElementById("widget"), proved);
let current = 0;

function remembered() {
  try {
    const names = JSON.parse(localStorage.getItem(KEPT));
    return Array.isArray(names) ? names : [];
  } catch {
    return []; // a browser may refuse to remember
  }
}

function proved(proof) {
  const level = levels[current];
  if (proof.statement !== statements.get(level.name) || proof.context) return;
  solved.add(level.name);
  try {
    localStorage.setItem(KEPT, JSON.stringify([...solved]));
  } catch {
    // then it is forgotten
  }
  draw();
  if (!next.hidden) next.focus();
}

function draw() {
  const buttons = levels.map((level, index) => {
    const attributes = { type: "button", on: { click: () => open(index) } };
    if (index === current) attributes["aria-current"] = "step";
    if (solved.has(level.name)) attributes.class = "done";
    return make("li", {}, make("button", attributes, level.title));
  });
  list.replaceChildren(...buttons);
  next.hidden = !solved.has(levels[current].name) || current + 1 === levels.length;
}

async function open(index) {
  current = index;
  const level = levels[index];
  title.textContent = `${index + 1}. ${level.title}`;
  text.textContent = level.text;
  hint.textContent = level.hint;
  more.open = false;
  draw();
  await widget.open({ statement: statements.get(level.name) });
}

next.addEventListener("click", () => open(current + 1));
const first = levels.findIndex((level) => !solved.has(level.name));
await open(Math.max(first, 0));
keepFiles();
