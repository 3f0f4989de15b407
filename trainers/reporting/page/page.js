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

  // Charts

  const drawn = [];

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  function axis(share) {
    const common = {
      gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), automargin: true,
      fixedrange: true, nticks: 6,
    };
    return share ? { ...common, tickformat: ".0%", range: [0, 1.02] } : { ...common, rangemode: "tozero" };
  }

  function traces(chart) {
    const few = chart.lines.every((line) => line.x.length < 40);
    return chart.lines.map((line) => {
      const solid = line.dash === "solid";
      return {
        x: line.x, y: line.y, name: line.name, type: "scatter",
        mode: solid && few ? "lines+markers" : "lines",
        line: {
          color: colour(line.run < 0 ? "soft" : `c${line.run % COLOURS}`), width: solid ? 2 : 1.3, dash: line.dash,
        },
        marker: { size: 6 }, opacity: solid ? 1 : 0.85,
        hovertemplate: `%{y${chart.share ? ":.1%" : ":.4~g"}}`,
      };
    });
  }

  function layout(chart) {
    // The width of the paper is not known before it is printed on.
    const size = "print" in document.documentElement.dataset ? { width: 335, height: 230 } : { autosize: true };
    return {
      ...size,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("text"), family: "system-ui, sans-serif", size: 12 },
      margin: { l: 44, r: 12, t: 10, b: 36 }, hovermode: "x unified",
      hoverlabel: { bgcolor: colour("card"), bordercolor: colour("line"), font: { color: colour("text") } },
      xaxis: { ...axis(false), rangemode: "normal", title: { text: chart.axis, standoff: 6 } },
      yaxis: axis(chart.share), showlegend: chart.lines.length > 1,
      legend: { orientation: "h", y: -0.24, yanchor: "top", font: { size: 12 } },
    };
  }

  function draw(one) {
    Plotly.react(one.place, traces(one.chart), layout(one.chart), { displayModeBar: false, responsive: true });
  }

  function values(chart) {
    const details = make("details");
    details.append(make("summary", "", "values"));
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      for (const line of chart.lines) {
        const table = make("table");
        const name = make("span");
        name.textContent = line.name.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
          .replace(/&#x27;/g, "'").replace(/&amp;/g, "&");
        table.createCaption().append(name);
        line.x.forEach((x, at) => {
          const row = table.insertRow();
          const y = line.y[at];
          row.append(make("th", "", x), make("td", "", chart.share ? `${(100 * y).toFixed(1)}%` : +y.toPrecision(5)));
        });
        details.append(table);
      }
    });
    return details;
  }

  function chartsInto(id, charts) {
    const place = document.getElementById(id);
    if (!place) return;
    for (const chart of charts) {
      const figure = make("figure");
      const box = make("div", "chart");
      figure.append(make("figcaption", "", chart.title), box, values(chart));
      place.append(figure);
      const one = { place: box, chart };
      drawn.push(one);
      draw(one);
    }
  }

  chartsInto("charts-main", data.main);
  const more = document.getElementById("more-charts");
  if (more) more.addEventListener("toggle", () => chartsInto("charts-more", data.more), { once: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach(draw));
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.print = "";
    drawn.forEach(draw);
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.print;
    drawn.forEach(draw);
  });

  // Proof trees. A goal is [parent, text, tactic or -1, [[refused tactic, count]], joint].

  const text = (number) => data.texts[number];

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
    const attempts = data.episodes[Number(section.dataset.run)];
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
      const own = attempts[Number(row.dataset.row)];
      const button = row.querySelector(".unfold");
      button.disabled = !own.proofs.length && !own.failed.length;
      button.addEventListener("click", () => {
        const open = button.getAttribute("aria-expanded") !== "true";
        button.setAttribute("aria-expanded", String(open));
        if (open && !details.has(row)) details.set(row, detailRow(own, headings.length));
        if (open) row.after(details.get(row));
        else details.get(row).remove();
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
        if (open) body.append(details.get(row));
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
