// Abbreviations of Lean's editors: `\to` becomes `→` as soon as no longer abbreviation begins with it, or at the next
// character that belongs to none.

const CURSOR = "$CURSOR";

export class Abbreviations {
  #table;
  #names;

  constructor(table) {
    this.#table = new Map(Object.entries(table));
    this.#names = [...this.#table.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  }

  // Returns {text, caret} with the abbreviation before the caret replaced, or null. With `end` nothing more is typed.
  expanded(text, caret, end = false) {
    const start = text.lastIndexOf("\\", caret - 2);
    const typed = start < 0 ? "" : text.slice(start + 1, caret);
    if (!typed || /\s./.test(typed)) return null;
    const longer = this.#names.filter((name) => name.startsWith(typed));
    let symbol;
    if (end || (longer.length === 1 && longer[0] === typed)) {
      symbol = this.#symbol(typed);
    } else if (longer.length === 0) {
      symbol = this.#symbol(typed.slice(0, -1));
      if (symbol !== null) symbol += typed.slice(-1);
    }
    if (symbol === null || symbol === undefined) return null;
    const place = symbol.indexOf(CURSOR);
    const shown = symbol.replace(CURSOR, "");
    return {
      text: text.slice(0, start) + shown + text.slice(caret),
      caret: start + (place < 0 ? shown.length : place),
    };
  }

  // The symbol of the shortest abbreviation that begins so, else that of the longest part of it.
  #symbol(typed) {
    if (!typed) return null;
    const name = this.#names.find((each) => each.startsWith(typed));
    if (name !== undefined) return this.#table.get(name);
    const shorter = this.#symbol(typed.slice(0, -1));
    return shorter === null ? null : shorter + typed.slice(-1);
  }

  // Replaces in a text field while its user types, and when the field is left.
  watch(field) {
    const replace = (end) => {
      const found = this.expanded(field.value, field.selectionStart, end);
      if (!found) return;
      field.value = found.text;
      field.setSelectionRange(found.caret, found.caret);
    };
    field.addEventListener("input", (event) => {
      if (!event.isComposing && event.inputType !== "deleteContentBackward") replace(false);
    });
    field.addEventListener("change", () => replace(true));
    return () => replace(true);
  }
}
