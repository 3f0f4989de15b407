// Script of the report: charts, the table of theorems, proof trees. Every text is set as text, never as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const COLOURS = 8;

  function make(name, className, text) {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // Charts: SVG, drawn anew for each width. Colours are variables of the style sheet.

  const SVG = "http://www.w3.org/2000/svg";
  const EDGE = { left: 48, right: 12, top: 10, bottom: 40 };
  const drawn = [];

  function shape(name, className, attributes, text) {
    const element = document.createElementNS(SVG, name);
    if (className) element.setAttribute("class", className);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const colour = (line) => `var(--${line.run < 0 ? "soft" : `c${line.run % COLOURS}`})`;
  const shownValue = (chart, y) => (chart.share ? `${(100 * y).toFixed(1)}%` : String(+y.toPrecision(4)));

  // Round numbers from low to high, at most `most` of them or one more.
  function ticks(low, high, most, whole) {
    const wanted = (high - low) / most;
    const unit = 10 ** Math.floor(Math.log10(wanted));
    const step = Math.max(unit * [1, 2, 5, 10].find((each) => each * unit >= wanted * 0.999), whole ? 1 : 0);
    const first = Math.ceil(low / step - 1e-6);
    const count = Math.floor(high / step + 1e-6) - first + 1;
    return Array.from({ length: count }, (_, at) => +((first + at) * step).toPrecision(12));
  }

  function extent(values, fallback) {
    const low = values.reduce((a, b) => Math.min(a, b), fallback);
    const high = values.reduce((a, b) => Math.max(a, b), fallback);
    return low < high ? [low, high] : [low, low + 1];
  }

  function draw({ place, chart }) {
    // The width of the paper is not known before it is printed on.
    const [width, height] = "print" in document.documentElement.dataset ? [335, 230] : [place.clientWidth, 280];
    if (!width) return;
    const [left, right] = extent(chart.lines.flatMap((line) => line.x), chart.lines[0].x[0]);
    const values = chart.lines.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]);
    const [low, high] = chart.share ? [0, 1] : extent(values, 0);
    const x = (value) => EDGE.left + ((value - left) / (right - left)) * (width - EDGE.left - EDGE.right);
    const y = (value) => height - EDGE.bottom - ((value - low) / (high - low)) * (height - EDGE.top - EDGE.bottom);
    const path = (xs, ys) => xs.map((each, at) => `${at ? "L" : "M"}${x(each).toFixed(1)},${y(ys[at]).toFixed(1)}`).join("");
    const svg = shape("svg", "", { width, height, role: "img", "aria-label": chart.title });
    for (const tick of ticks(low, high, 5)) {
      svg.append(shape("line", "grid", { x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }));
      const text = chart.share ? `${Math.round(100 * tick)}%` : String(tick);
      svg.append(shape("text", "ytick", { x: EDGE.left - 6, y: y(tick) + 4 }, text));
    }
    for (const tick of ticks(left, right, Math.min(8, width / 60), true)) {
      svg.append(shape("text", "xtick", { x: x(tick), y: height - EDGE.bottom + 18 }, tick));
    }
    svg.append(shape("text", "xtick", { x: (EDGE.left + width - EDGE.right) / 2, y: height - 4 }, chart.axis));
    for (const line of chart.lines) {
      const own = shape("g", `line ${line.dash}`, { style: `--own: ${colour(line)}` });
      if (line.low) {
        const back = path([...line.x].reverse(), [...line.high].reverse()).replace("M", "L");
        own.append(shape("path", "spread", { d: `${path(line.x, line.low)}${back}Z` }));
      }
      own.append(shape("path", "value", { d: path(line.x, line.y) }));
      if (line.dash === "solid" && line.x.length < 40) {
        line.x.forEach((each, at) => own.append(shape("circle", "", { cx: x(each), cy: y(line.y[at]), r: 3 })));
      }
      svg.append(own);
    }
    const cursor = shape("line", "cursor", { y1: EDGE.top, y2: height - EDGE.bottom });
    const tip = make("div", "tip");
    svg.append(cursor);
    const steps = [...new Set(chart.lines.filter((line) => line.dash === "solid").flatMap((line) => line.x))];
    svg.addEventListener("pointermove", (event) => {
      const at = event.clientX - svg.getBoundingClientRect().left;
      const step = steps.reduce((best, each) => (Math.abs(x(each) - at) < Math.abs(x(best) - at) ? each : best));
      cursor.setAttribute("x1", x(step));
      cursor.setAttribute("x2", x(step));
      tip.replaceChildren(make("b", "", `${chart.axis.split(",")[0]} ${step}`));
      for (const line of chart.lines) {
        const found = line.dash === "solid" ? line.x.indexOf(step) : 0;
        if (found < 0) continue;
        const row = make("div", "", ` ${line.name}: ${shownValue(chart, line.y[found])}`);
        if (line.low) row.append(` (${shownValue(chart, line.low[found])} to ${shownValue(chart, line.high[found])})`);
        row.prepend(key(line));
        tip.append(row);
      }
      place.classList.add("pointed");
      tip.style.left = `${Math.max(0, Math.min(x(step) + 12, width - tip.offsetWidth))}px`;
    });
    svg.addEventListener("pointerleave", () => place.classList.remove("pointed"));
    place.replaceChildren(svg, tip);
  }

  function key(line) {
    const mark = make("i", `key ${line.dash}`);
    mark.style.setProperty("--own", colour(line));
    return mark;
  }

  function legend(chart) {
    const box = make("div", "legend");
    for (const line of chart.lines) {
      const entry = make("span", "", line.name);
      entry.prepend(key(line));
      box.append(entry);
    }
    return box;
  }

  function valuesOf(chart) {
    const details = make("details");
    details.append(make("summary", "", "values"));
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      for (const line of chart.lines) {
        const table = make("table");
        table.createCaption().append(make("span", "", line.name));
        line.x.forEach((x, at) => {
          const row = table.insertRow();
          row.append(make("th", "", x), make("td", "", shownValue(chart, line.y[at])));
          if (line.low) {
            row.append(make("td", "", shownValue(chart, line.low[at])), make("td", "", shownValue(chart, line.high[at])));
          }
        });
        details.append(table);
      }
    });
    return details;
  }

  const resized = new ResizeObserver((entries) => {
    for (const entry of entries) draw(drawn.find((one) => one.place === entry.target));
  });

  function chartsInto(id, charts) {
    const place = document.getElementById(id);
    if (!place) return;
    for (const chart of charts) {
      const figure = make("figure");
      const box = make("div", "chart");
      figure.append(make("figcaption", "", chart.title), box);
      if (chart.lines.length > 1 || chart.lines[0].low) figure.append(legend(chart));
      figure.append(valuesOf(chart));
      place.append(figure);
      drawn.push({ place: box, chart });
      draw(drawn.at(-1));
      resized.observe(box);
    }
  }

  chartsInto("charts-main", data.main);
  const more = document.getElementById("more-charts");
  if (more) more.addEventListener("toggle", () => chartsInto("charts-more", data.more), { once: true });
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.print = "";
    drawn.forEach(draw);
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.print;
    drawn.forEach(draw);
  });

  // Episodes are unpacked when the first theorem is unfolded.

  let episodes;
  let texts;

  async function unpack() {
    if (texts) return;
    const packed = Uint8Array.from(atob(data.packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    ({ episodes, texts } = await new Response(stream).json());
  }

  // Proof trees. A goal is [parent, text, tactic or -1, [[refused tactic, count]], joint].

  const text = (number) => texts[number];

  function goalView(goals, children, number) {
    const [, goal, tactic, refused, joint] = goals[number];
    const lines = text(goal).split("\n");
    const at = lines.findIndex((line) => line.startsWith("⊢"));
    const details = make("details", "goal");
    const summary = make("summary");
    const tag = lines[0].startsWith("case ") ? `${lines[0].slice(5)}: ` : "";
    summary.append(make("code", "", tag + (at < 0 ? text(goal) : lines.slice(at).join("\n"))));
    if (tactic < 0) summary.append(" ", make("span", "open-goal", "open"));
    details.append(summary);
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      const body = make("div", "body");
      const above = lines.slice(tag ? 1 : 0, Math.max(at, 0)).join("\n");
      if (above) body.append(make("pre", "", above));
      if (refused.length) body.append(refusedView(refused));
      if (tactic >= 0) body.append(make("pre", "tactic", text(tactic)));
      const below = children[number];
      if (joint) body.append(make("p", "said", "The tactic also worked on an earlier goal, which has its goals."));
      else if (tactic >= 0 && !below.length) body.append(make("p", "said", "No goal is left here."));
      details.append(body);
      for (const child of below) {
        const view = goalView(goals, children, child);
        if (below.length > 1) view.classList.add("branch");
        details.append(view);
      }
    });
    return details;
  }

  function refusedView(refused) {
    const details = make("details", "refusals");
    const total = refused.reduce((sum, [, count]) => sum + count, 0);
    const title = total === 1 ? "1 tactic was refused here" : `${total} tactics were refused here`;
    details.append(make("summary", "said", title));
    for (const [tactic, count] of refused) {
      details.append(make("pre", "tactic refused", count > 1 ? `${text(tactic)}   (${count} times)` : text(tactic)));
    }
    return details;
  }

  // Opens a proof in the page that `lean-gym play --web` serves.
  function replayLink(attempt, [statement, context]) {
    const values = new URLSearchParams({ theorem: text(statement) });
    if (text(context)) values.set("context", text(context));
    for (const tactic of attempt.script) values.append("tactic", text(tactic));
    const link = make("a", "replay", "replay");
    link.href = `${data.replay}#${values}`;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    link.title = "in the page that lean-gym play --web serves";
    return link;
  }

  function attemptView(attempt, theorem) {
    const box = make("div", "attempt");
    const head = make("div", "head");
    const count = attempt.script.length;
    head.append(make("strong", "", count === 1 ? "1 tactic" : `${count} tactics`), make("span", "said", attempt.about));
    if (theorem) head.append(replayLink(attempt, theorem));
    box.append(head);
    if (!attempt.goals.length) {
      box.append(make("p", "said", "The goals of this script are not known."));
      box.append(make("pre", "tactic", attempt.script.map(text).join("\n")));
      return box;
    }
    const children = attempt.goals.map(() => []);
    const first = [];
    attempt.goals.forEach(([parent], number) => (parent < 0 ? first : children[parent]).push(number));
    const all = make("button", "", "unfold all");
    all.type = "button";
    head.append(all);
    const views = first.map((number) => goalView(attempt.goals, children, number));
    box.append(...views);
    all.addEventListener("click", () => {
      const open = all.textContent === "unfold all";
      all.textContent = open ? "fold all" : "unfold all";
      if (!open) box.querySelectorAll(".goal").forEach((goal) => { goal.open = false; });
      else views.forEach(unfold);
    });
    return box;
  }

  // Goals below an unfolded one are made when its toggle event arrives.
  function unfold(goal) {
    const below = () => goal.querySelectorAll(":scope > .goal").forEach(unfold);
    if (goal.open) below();
    else {
      goal.addEventListener("toggle", below, { once: true });
      goal.open = true;
    }
  }

  function detailRow(attempts, columns) {
    const row = make("tr", "detail");
    const cell = make("td");
    cell.colSpan = columns;
    attempts.proofs.forEach((attempt) => cell.append(attemptView(attempt, attempts.theorem)));
    if (attempts.failed.length) cell.append(make("p", "said", "Last failed attempts"));
    attempts.failed.forEach((attempt) => cell.append(attemptView(attempt, null)));
    row.append(cell);
    return row;
  }

  // Tables of theorems

  for (const section of document.querySelectorAll("section.theorems")) {
    const table = section.querySelector("table");
    if (!table) continue;
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const headings = [...table.tHead.rows[0].cells];
    const details = new Map();
    const search = section.querySelector(".filter-text");
    const status = section.querySelector(".filter-status");
    const sorter = section.querySelector(".sort-by");
    const count = section.querySelector(".count");
    const haystack = new Map(rows.map((row) => [row, row.cells[0].textContent.toLowerCase()]));

    for (const row of rows) {
      const button = row.querySelector(".unfold");
      button.addEventListener("click", async () => {
        const open = button.getAttribute("aria-expanded") !== "true";
        button.setAttribute("aria-expanded", String(open));
        if (!open) {
          details.get(row)?.remove();
          return;
        }
        await unpack();
        if (button.getAttribute("aria-expanded") !== "true") return;
        const own = episodes[Number(section.dataset.run)][Number(row.dataset.row)];
        if (!details.has(row)) details.set(row, detailRow(own, headings.length));
        row.after(details.get(row));
      });
    }

    function filter() {
      const wanted = search.value.trim().toLowerCase();
      let visible = 0;
      for (const row of rows) {
        const shown = haystack.get(row).includes(wanted) && (!status.value || row.dataset.status === status.value);
        row.hidden = !shown;
        if (details.has(row)) details.get(row).hidden = !shown;
        visible += shown;
      }
      count.textContent = visible === rows.length ? `${visible} theorems` : `${visible} of ${rows.length} theorems`;
    }

    function sort(column, down) {
      headings.forEach((heading, at) => {
        heading.setAttribute("aria-sort", at !== column ? "none" : down ? "descending" : "ascending");
      });
      const key = (row) => row.cells[column].dataset.sort;
      const compare = column < 2 ? (a, b) => key(a).localeCompare(key(b)) : (a, b) => key(a) - key(b);
      rows.sort((a, b) => (down ? -compare(a, b) : compare(a, b)));
      for (const row of rows) {
        body.append(row);
        const open = row.querySelector(".unfold").getAttribute("aria-expanded") === "true";
        if (open && details.has(row)) body.append(details.get(row));
      }
    }

    headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => {
        sort(column, heading.getAttribute("aria-sort") === "ascending");
      });
      for (const [sign, word] of [["", ""], ["-", ", down"]]) {
        const option = make("option", "", heading.textContent.trim() + word);
        option.value = `${sign}${column}`;
        sorter.append(option);
      }
    });
    sorter.prepend(new Option("the run's order", "", true, true));
    sorter.options[0].disabled = true;
    sorter.addEventListener("change", () => sort(Math.abs(Number(sorter.value)), sorter.value.startsWith("-")));
    search.addEventListener("input", filter);
    status.addEventListener("change", filter);
  }
})();
