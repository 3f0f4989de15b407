// The widget: goals, tactic line with completion and Unicode input, history with branches, suggestions, source, link.
// Texts of users and of Lean become text nodes only.
import { Proof, toFragment } from "./proof.js";
import { Prover } from "./prover.js";
import { Abbreviations } from "./unicode.js";

const COMPLETION_DELAY_MS = 120;
const SHORTEST_WORD = 2;

// Returns an element. `on` holds listeners; other properties are attributes, of which `true` is empty and `false` absent.
export function make(tag, { on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children);
  return element;
}

const counted = (goals) => (goals === 1 ? "1 goal" : `${goals} goals`);

export class Widget {
  #proof = null;
  #prover;
  #busy = 0; // requests under way
  #turn = 0; // theorems started
  #options = [];
  #active = -1;
  #timer;
  #onProved;
  #expandAll = () => {};

  // `onProved` is called with the proof that the kernel accepted.
  constructor(root, onProved = () => {}) {
    this.#onProved = onProved;
    this.#build(root);
    this.#prover = new Prover((state, message) => this.#tellState(state, message));
    fetch("abbreviations.json")
      .then((response) => response.json())
      .then((table) => {
        const abbreviations = new Abbreviations(table);
        abbreviations.watch(this.statement);
        abbreviations.watch(this.context);
        this.#expandAll = abbreviations.watch(this.line);
      });
  }

  #build(root) {
    this.statement = make("textarea", { id: "statement", rows: 3, spellcheck: "false", autocapitalize: "off" });
    this.context = make("textarea", { id: "context", rows: 2, spellcheck: "false", autocapitalize: "off" });
    this.line = make("textarea", {
      id: "line",
      rows: 1,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "words",
      "aria-describedby": "keys",
    });
    this.words = make("ul", { id: "words", role: "listbox", "aria-label": "Completions", hidden: true });
    this.status = make("p", { id: "status", role: "status" });
    this.error = make("pre", { id: "error", role: "alert", hidden: true });
    this.goals = make("div", { id: "goals", "aria-live": "polite" });
    this.suggestions = make("div", { id: "suggestions", "aria-live": "polite" });
    this.history = make("div", { id: "history" });
    this.source = make("pre", { id: "source", tabindex: "0" });
    this.seconds = make("input", { id: "seconds", type: "number", min: "1", max: "600", value: "10" });
    const button = (id, label, act, more = {}) => make("button", { id, type: "button", on: { click: act }, ...more }, label);
    this.runButton = button("run", "Run", () => this.run());
    this.suggestButton = button("suggest", "?", () => this.suggest(), { "aria-label": "Tactics that apply" });
    this.undoButton = button("undo", "Undo", () => this.undo());
    this.stopButton = button("stop", "Stop", () => this.#prover.stop("stopped"));
    this.copied = make("span", { id: "copied", role: "status" });
    root.append(
      make(
        "section",
        { class: "theorem", "aria-label": "Theorem" },
        make("label", { for: "statement" }, "Theorem"),
        this.statement,
        make(
          "details",
          {},
          make("summary", {}, "Commands before it"),
          make("label", { for: "context" }, "Lean commands, such as definitions"),
          this.context,
        ),
        make("div", { class: "row" }, button("start", "Start", () => this.start())),
      ),
      make(
        "section",
        { class: "work", "aria-label": "Proof" },
        this.status,
        make("h2", {}, "Goals"),
        this.goals,
        make("label", { for: "line" }, "Tactic"),
        make("div", { class: "typed" }, this.line, this.words),
        make(
          "div",
          { class: "row" },
          this.runButton,
          this.suggestButton,
          this.undoButton,
          this.stopButton,
          make("label", { for: "seconds" }, "Seconds at most"),
          this.seconds,
        ),
        make(
          "p",
          { id: "keys", class: "hint" },
          "Enter runs, Shift+Enter begins a line, Tab completes, Alt+Z takes back, Escape stops. ",
          make("code", {}, "\\to"),
          " becomes →. A ",
          make("code", {}, "?"),
          " alone lists tactics that apply.",
        ),
        this.error,
        this.suggestions,
      ),
      make(
        "div",
        {},
        make("section", { "aria-label": "History" }, make("h2", {}, "History"), this.history),
        make(
          "section",
          { "aria-label": "Lean source" },
          make("h2", {}, "Lean source"),
          this.source,
          make(
            "div",
            { class: "row" },
            button("copy-source", "Copy source", () => this.#copy(this.source.textContent)),
            button("copy-link", "Copy link", () => this.#copy(this.link())),
            this.copied,
          ),
        ),
      ),
    );
    this.line.addEventListener("keydown", (event) => this.#key(event));
    this.line.addEventListener("input", () => this.#typed());
    this.line.addEventListener("blur", () => this.#closeWords());
    root.addEventListener("keydown", (event) => {
      if (event.key === "z" && event.altKey) {
        event.preventDefault();
        this.undo();
      } else if (event.key === "Escape" && this.#busy) {
        this.#prover.stop("stopped");
      }
    });
    this.#draw();
  }

  // Begins the proof of a theorem and runs the tactics of it, if some are given. Returns whether all were accepted.
  async open({ statement, context = "", tactics = [] }) {
    this.statement.value = statement;
    this.context.value = context;
    if (context) this.context.closest("details").open = true;
    if (!(await this.start())) return false;
    const proof = this.#proof;
    for (const tactic of tactics) {
      if (proof !== this.#proof || !(await this.run(tactic))) return false;
    }
    return true;
  }

  async start() {
    const [statement, context] = [this.statement.value, this.context.value];
    const turn = ++this.#turn;
    this.#proof = null;
    this.suggestions.replaceChildren();
    const answer = await this.#ask({ ask: "start", statement, context });
    if (turn !== this.#turn) return false;
    if (answer) {
      this.#proof = new Proof(statement, context, answer);
      this.#changed();
      this.line.focus({ preventScroll: true });
    }
    this.#draw();
    return Boolean(answer);
  }

  // Runs a tactic at the current node. Returns whether it was accepted.
  async run(tactic = null) {
    const typed = tactic === null;
    if (typed) this.#expandAll();
    const text = tactic ?? this.line.value.trim();
    this.#closeWords();
    if (!text || !this.#proof || this.#busy) return false;
    if (text === "?") {
      await this.suggest();
      return false;
    }
    const proof = this.#proof;
    const answer = await this.#ask({ ask: "apply", ...proof.request, tactics: proof.path(), tactic: text });
    if (!answer || proof !== this.#proof) return false;
    if (typed) this.line.value = "";
    this.suggestions.replaceChildren();
    const node = this.#proof.add(text, answer);
    this.#changed();
    if (node.verdict?.proved) this.#onProved(this.#proof);
    return true;
  }

  undo() {
    if (!this.#proof || this.#busy) return;
    this.#proof.undo();
    this.error.hidden = true;
    this.suggestions.replaceChildren();
    this.#changed();
    this.line.focus({ preventScroll: true });
  }

  async suggest() {
    if (!this.#proof || this.#busy) return;
    if (this.line.value.trim() === "?") this.line.value = "";
    const proof = this.#proof;
    const answer = await this.#ask({ ask: "suggest", ...proof.request, tactics: proof.path() });
    if (!answer || proof !== this.#proof) return;
    const items = answer.suggestions.map((one) => {
      const left = one.goals < answer.before ? "closes the goal" : `leaves ${counted(one.goals)}`;
      const about = [left, ...one.messages].join(" ").replace(/\s+/g, " ");
      const act = () => this.run(one.tactic);
      return make("li", {}, make("button", { type: "button", on: { click: act } }, make("code", {}, one.tactic)), ` ${about}`);
    });
    const none = make("p", {}, "None of the usual tactics applies.");
    this.suggestions.replaceChildren(items.length ? make("ul", {}, ...items) : none);
  }

  link() {
    const fragment = this.#proof
      ? toFragment({ ...this.#proof.request, tactics: this.#proof.path() })
      : toFragment({ statement: this.statement.value, context: this.context.value });
    return new URL(fragment, location.href).href;
  }

  // Returns the answer; null where there is none, after telling why.
  async #ask(request) {
    const focused = document.activeElement;
    this.#busy += 1;
    this.error.hidden = true;
    this.#draw();
    try {
      const answer = await this.#prover.ask(request, this.#limit());
      if (answer.error === undefined || answer.error === null) return answer;
      this.#tellError(answer.error);
    } catch (error) {
      this.#tellError(error.message);
    } finally {
      this.#busy -= 1;
      this.#draw();
      this.#giveFocusBack(focused);
    }
    return null;
  }

  // A button that is disabled loses the focus, and with it who works by keyboard loses the place.
  #giveFocusBack(focused) {
    if (document.activeElement !== document.body || focused === document.body) return;
    const place = focused.isConnected && !focused.disabled ? focused : this.line;
    place.focus({ preventScroll: true });
  }

  #limit() {
    const seconds = Number(this.seconds.value);
    return seconds >= 1 && seconds <= 600 ? seconds : 10;
  }

  #tellError(text) {
    this.error.textContent = text;
    this.error.hidden = false;
  }

  #tellState(state, message = "") {
    document.body.dataset.prover = state;
    const texts = { loading: "Lean is loading ...", ready: "Lean is ready.", failed: `Lean cannot run: ${message}` };
    this.status.textContent = texts[state];
    if (state === "failed") {
      const again = () => this.#prover.start();
      this.status.append(" ", make("button", { type: "button", on: { click: again } }, "Try again"));
    }
  }

  #changed() {
    const { current } = this.#proof;
    if (current.verdict) {
      const axioms = current.verdict.axioms?.join(", ") || "none";
      this.status.textContent = current.verdict.proved
        ? `Proved. The kernel has checked the whole proof. Axioms: ${axioms}.`
        : `Not proved: ${current.verdict.reason}`;
    } else {
      this.status.textContent = `Left: ${counted(current.goals.length)}.`;
    }
    const link = toFragment({ ...this.#proof.request, tactics: this.#proof.path() });
    history.replaceState(null, "", link);
    this.#draw();
  }

  #draw() {
    document.body.dataset.busy = this.#busy > 0;
    const none = !this.#proof;
    this.runButton.disabled = this.suggestButton.disabled = none || this.#busy > 0;
    this.undoButton.disabled = none || this.#busy > 0 || !this.#proof.current.parent;
    this.stopButton.disabled = !this.#busy;
    if (none) {
      this.goals.replaceChildren(make("p", { class: "hint" }, "No proof has been started."));
      this.history.replaceChildren();
      this.source.textContent = "";
      return;
    }
    const { current, nodes } = this.#proof;
    document.body.dataset.proved = Boolean(current.verdict?.proved);
    this.goals.replaceChildren(...this.#goalElements(current));
    this.source.textContent = current.source;
    this.history.replaceChildren(make("ul", {}, this.#nodeElement(nodes[0])));
  }

  #goalElements(node) {
    const messages = (node.messages ?? []).map((text) => make("pre", { class: "message" }, text));
    if (!node.goals.length) {
      const proved = node.verdict?.proved;
      const text = proved ? "No goals: proved." : "No goals, and no proof: the kernel refuses it.";
      return [make("p", { class: proved ? "proved" : "refused" }, text), ...messages];
    }
    const goals = node.goals.map((goal, index) => {
      const lines = goal.split("\n").map((line) => {
        const kind = line.startsWith("⊢") ? "target" : line.startsWith("case ") ? "case" : "";
        return make("span", kind ? { class: kind } : {}, `${line}\n`);
      });
      return make("pre", { class: index ? "goal other" : "goal" }, ...lines);
    });
    return [...goals, ...messages];
  }

  // A chain of single children is one flat list; branches are nested lists.
  #nodeElement(node) {
    const items = [];
    for (let each = node; each; each = each.children.length === 1 ? each.children[0] : null) {
      const current = each === this.#proof.current;
      const go = () => {
        this.#proof.current = each;
        this.error.hidden = true;
        this.suggestions.replaceChildren();
        this.#changed();
        this.history.querySelector("[aria-current]")?.focus();
      };
      const left = each.verdict?.proved ? "proved" : counted(each.goals.length);
      const about = make("span", { class: "left" }, ` ${left}`);
      const attributes = { type: "button", disabled: this.#busy > 0, on: { click: go } };
      if (current) attributes["aria-current"] = "step";
      items.push(make("li", {}, make("button", attributes, make("code", {}, each.tactic ?? "start")), about));
      if (each.children.length > 1) {
        items.at(-1).append(...each.children.map((child) => make("ul", { class: "branch" }, this.#nodeElement(child))));
      }
    }
    const fragment = document.createDocumentFragment();
    fragment.append(...items);
    return fragment;
  }

  #key(event) {
    if (event.isComposing) return;
    const open = !this.words.hidden;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const step = event.key === "ArrowDown" ? 1 : -1;
      const count = this.#options.length;
      this.#activate((this.#active + step + count + (this.#active < 0 && step < 0 ? 1 : 0)) % count);
    } else if (open && (event.key === "Tab" || (event.key === "Enter" && this.#active >= 0))) {
      this.#accept(Math.max(this.#active, 0));
    } else if (open && event.key === "Escape") {
      this.#closeWords();
      event.stopPropagation();
    } else if (event.key === "Enter" && !event.shiftKey) {
      this.run();
    } else if (event.key === " " && event.ctrlKey) {
      this.#complete(0);
    } else {
      return;
    }
    event.preventDefault();
  }

  #typed() {
    this.line.rows = Math.min(8, this.line.value.split("\n").length);
    clearTimeout(this.#timer);
    this.#closeWords();
    this.#timer = setTimeout(() => this.#complete(SHORTEST_WORD), COMPLETION_DELAY_MS);
  }

  async #complete(shortest) {
    const { value, selectionStart } = this.line;
    const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    if (!this.#proof || this.#busy || (shortest && !line) || line.includes("\\")) return;
    const request = { ask: "complete", ...this.#proof.request, tactics: this.#proof.path(), line };
    let answer;
    try {
      answer = await this.#prover.ask(request, this.#limit());
    } catch {
      return; // the stop has been told already
    }
    const unchanged = this.line.value === value && this.line.selectionStart === selectionStart;
    if (answer.error || !unchanged || answer.length < shortest || document.activeElement !== this.line) return;
    this.#options = answer.words.map((word) => ({ word, length: answer.length }));
    if (this.#options.length === 1 && this.#options[0].word.length === answer.length) this.#options = [];
    this.words.replaceChildren(
      ...this.#options.map(({ word }, index) => {
        const accept = (event) => {
          event.preventDefault(); // the line keeps the focus
          this.#accept(index);
        };
        return make("li", { id: `word-${index}`, role: "option", "aria-selected": "false", on: { mousedown: accept } }, word);
      }),
    );
    this.words.hidden = !this.#options.length;
    this.line.setAttribute("aria-expanded", String(!this.words.hidden));
    this.#active = -1;
  }

  #activate(index) {
    this.#active = index;
    [...this.words.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === index)));
    this.line.setAttribute("aria-activedescendant", `word-${index}`);
    this.words.children[index].scrollIntoView({ block: "nearest" });
  }

  #accept(index) {
    const { word, length } = this.#options[index];
    const { value, selectionStart } = this.line;
    this.line.value = value.slice(0, selectionStart - length) + word + value.slice(selectionStart);
    const caret = selectionStart - length + word.length;
    this.line.setSelectionRange(caret, caret);
    this.#closeWords();
  }

  #closeWords() {
    clearTimeout(this.#timer);
    this.words.hidden = true;
    this.words.replaceChildren();
    this.#options = [];
    this.#active = -1;
    this.line.setAttribute("aria-expanded", "false");
    this.line.removeAttribute("aria-activedescendant");
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = "copied";
    } catch {
      this.copied.textContent = "the browser refuses to copy; select the text instead";
    }
  }
}

// Keeps the files of the page for the next time, where the browser can.
export function keepFiles() {
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("service.js").catch(() => {});
}
