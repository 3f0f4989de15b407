// Page "Try it": a theorem of a set, a typed one, or that of the link.
import { fromFragment } from "./proof.js";
import { keepFiles, make, Widget } from "./widget.js";

const [setList, theoremList] = ["set", "theorem"].map((id) => document.getElementById(id));
const widget = new Widget(document.getElementById("widget"));
const sets = await (await fetch("theorems.json")).json();

function listTheorems() {
  const rows = sets[setList.value];
  theoremList.replaceChildren(...rows.map(([name], index) => make("option", { value: index }, name)));
}

function openChosen() {
  const [, statement, context] = sets[setList.value][theoremList.value];
  return widget.open({ statement, context });
}

setList.replaceChildren(...Object.keys(sets).map((name) => make("option", { value: name }, name)));
listTheorems();
setList.addEventListener("change", () => {
  listTheorems();
  openChosen();
});
theoremList.addEventListener("change", openChosen);

const openLink = () => {
  const given = fromFragment(location.hash);
  if (given) {
    theoremList.value = ""; // another one than the list names
    widget.open(given);
  }
  return given;
};
addEventListener("hashchange", openLink);
if (!openLink()) await openChosen();
keepFiles();
