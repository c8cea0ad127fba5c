"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const hidden = new Set(["cpp_backward", "cuda_backward", "cuda_standalone"]); // until somebody asks for them
  let shown = []; // rows that pass the filters, in order
  let open = null; // the row in the dialog

  // Elements are made and texts set, never parsed: no text of a row can become markup.
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const eachLine = (code, use) => {
    for (let k = 0; k < code.lines.length; k += 2)
      for (let line = code.lines[k]; line <= code.lines[k + 1]; line++) use(line);
  };
  const textOf = (code) => {
    const lines = [];
    eachLine(code, (line) => lines.push(data.texts[line]));
    return lines.join("\n");
  };
  const haystack = (row) => {
    if (row.haystack === undefined)
      row.haystack = [row.kernel_name, row.description, row.id, ...Object.values(row.code).map(textOf)].join("\n").toLowerCase();
    return row.haystack;
  };
  const size = (row) => {
    const counts = row.tokens[at("config").value];
    return counts ? counts[0] + counts[1] : null;
  };
  const number = (value) => value.toLocaleString("en-US");
  const query = () => at("search").value.trim().toLowerCase();

  const passes = (row) => {
    for (const what of ["category", "split", "origin"])
      if (at(what).value && row[what] !== at(what).value) return false;
    const [least, most] = [at("least").value, at("most").value];
    if (least || most) {
      const tokens = size(row);
      if (tokens === null || (least && tokens < Number(least)) || (most && tokens > Number(most))) return false;
    }
    return haystack(row).includes(query());
  };
  const orders = {
    short: (a, b) => (size(a) ?? Infinity) - (size(b) ?? Infinity),
    long: (a, b) => (size(b) ?? -1) - (size(a) ?? -1),
    name: (a, b) => (a.kernel_name < b.kernel_name ? -1 : a.kernel_name > b.kernel_name ? 1 : 0),
  };

  const item = (row) => {
    const button = make("button");
    button.type = "button";
    button.setAttribute("aria-haspopup", "dialog");
    const tokens = size(row);
    button.append(
      make("span", "name", row.kernel_name), make("span", "category", row.category), make("span", "split quiet", row.split),
      make("span", "origin quiet", row.origin), make("span", "size", tokens === null ? "" : `${number(tokens)} tokens`),
      make("span", "about", row.description),
    );
    button.addEventListener("click", () => show(row));
    row.button = button;
    const entry = make("li");
    entry.append(button);
    return entry;
  };
  const update = () => {
    shown = data.rows.filter(passes);
    const order = orders[at("sort").value];
    if (order) shown.sort(order);
    for (const row of data.rows) row.button = null;
    at("list").replaceChildren(...shown.map(item));
    at("none").hidden = shown.length > 0;
    at("count").textContent = `${number(shown.length)} of ${number(data.rows.length)} rows`;
  };

  const painted = (line, wanted) => {
    const element = make("span", "l");
    const text = data.texts[line];
    let place = 0;
    for (const [, length, kind] of data.runs[line].matchAll(/(\d+)([a-z])/g)) {
      const part = text.slice(place, place + Number(length));
      element.append(kind === "x" ? part : make("span", kind, part));
      place += Number(length);
    }
    element.append(text.slice(place));
    if (wanted && text.toLowerCase().includes(wanted)) element.classList.add("hit");
    return element;
  };
  const copyButton = (title, code) => {
    const copy = make("button", "", "Copy");
    copy.type = "button";
    copy.setAttribute("aria-label", `Copy ${title}`);
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(textOf(code) + "\n");
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Not allowed"; // the browser's choice, told where the reader looks
      }
    });
    return copy;
  };
  const pane = (column, code) => {
    const title = data.titles[column];
    const box = make("section", "pane");
    box.dataset.column = column;
    box.hidden = hidden.has(column);
    const head = make("header");
    head.append(make("h3", "", title), copyButton(title, code));
    const pre = make("pre");
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", `${title} code`);
    const body = make("code");
    const wanted = query();
    let lines = 0;
    eachLine(code, (line) => { lines++; body.append(painted(line, wanted)); });
    pre.append(body);
    box.append(head, pre);
    if (lines < code.total) box.append(make("p", "cut", `The first ${number(lines)} of ${number(code.total)} lines.`));
    return box;
  };
  const toggle = (column) => {
    const button = make("button", "", data.titles[column]);
    button.type = "button";
    const press = () => button.setAttribute("aria-pressed", String(!hidden.has(column)));
    press();
    button.addEventListener("click", () => {
      if (!hidden.delete(column)) hidden.add(column);
      press();
      for (const box of at("panes").children) box.hidden = hidden.has(box.dataset.column);
    });
    return button;
  };

  const details = (row) => {
    const join = (values, each) => (values || []).map(each).join(", ");
    const verdicts = join(Object.entries(row.verification || {}).filter(([, verdict]) => verdict), ([name, verdict]) => `${name}: ${verdict}`);
    const facts = {
      id: row.id, skeleton: row.skeleton, arguments: join(row.args, (arg) => `${arg.name}: ${arg.type}`),
      "launch dimensions": row.launch_dim, "block size": row.block_dim, features: join(row.features, String),
      origin: [row.origin, row.origin_version, row.origin_path].filter(Boolean).join(" "), licence: row.license,
      "seed and index": row.index === undefined ? "" : `${row.seed}, ${row.index}`, verification: verdicts,
      tokens: join(Object.entries(row.tokens), ([name, [prompt, completion]]) => `${name}: ${number(prompt)} + ${number(completion)}`),
    };
    return Object.entries(facts).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [make("dt", "", name), make("dd", "", String(value))]);
  };
  const show = (row) => {
    open = row;
    const place = shown.indexOf(row);
    const tokens = size(row);
    at("row-title").textContent = row.kernel_name;
    at("row-facts").textContent = [
      row.category, row.split, row.origin, tokens === null ? "" : `${number(tokens)} tokens`,
      place < 0 ? "" : `row ${number(place + 1)} of ${number(shown.length)}`,
    ].filter(Boolean).join(" · ");
    at("row-description").textContent = row.description || "";
    at("toggles").replaceChildren(...Object.keys(row.code).map(toggle));
    at("panes").replaceChildren(...Object.entries(row.code).map(([column, code]) => pane(column, code)));
    at("row-details").replaceChildren(...details(row));
    at("previous").disabled = place <= 0;
    at("next").disabled = place < 0 || place + 1 >= shown.length;
    if (!at("row").open) at("row").showModal();
    // Who presses "Next" goes on pressing it, as long as there is a next row.
    if (!at("row").querySelector(".buttons :enabled:focus")) at("row-title").focus();
    for (const box of at("panes").children) {
      const hit = box.querySelector(".hit");
      if (hit) hit.parentElement.parentElement.scrollTop = hit.offsetTop - hit.parentElement.offsetTop - 60;
    }
    history.replaceState(null, "", `#row-${row.id}`);
  };
  const step = (by) => {
    const row = shown[shown.indexOf(open) + by];
    if (row && open && shown.includes(open)) show(row);
  };
  const move = (button, key) => {
    const buttons = shown.map((row) => row.button);
    const place = buttons.indexOf(button);
    const target = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: buttons.length - 1 }[key];
    if (target === undefined) return false;
    (target < 0 ? at("search") : buttons[Math.min(target, buttons.length - 1)])?.focus();
    return true;
  };

  // A field of text tells each key by "input"; its "change", on leaving it, must not make the list anew.
  at("filters").addEventListener("input", (event) => event.target.matches("input") && update());
  at("filters").addEventListener("change", (event) => event.target.matches("select") && update());
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(update)); // fields are empty only after this event
  at("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && shown.length) shown[0].button.focus();
    else if (event.key === "Escape" && at("search").value) { at("search").value = ""; update(); }
    else if (event.key === "Escape") at("search").blur();
    else return;
    event.preventDefault();
  });
  at("list").addEventListener("keydown", (event) => {
    if (!event.altKey && !event.ctrlKey && !event.metaKey && move(event.target, event.key)) event.preventDefault();
  });
  at("previous").addEventListener("click", () => step(-1));
  at("next").addEventListener("click", () => step(1));
  at("close").addEventListener("click", () => at("row").close());
  at("row").addEventListener("keydown", (event) => {
    // In a pane the arrows scroll the code.
    if (event.target.closest("pre") || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "ArrowRight") step(1);
  });
  at("row").addEventListener("close", () => {
    history.replaceState(null, "", "#rows");
    (open?.button ?? at("search")).focus();
    open = null;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || at("row").open || event.target.closest("input, select") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    at("search").focus();
    at("search").select();
  });

  at("filters").reset(); // some browsers keep fields over a reload
  update();
  const linked = data.rows.find((row) => `#row-${row.id}` === location.hash);
  if (linked) show(linked);
})();
