// The builder's moving parts: forms that stay valid after a swap, taps drawn before their answer, folds without a trip,
// panes on a phone, prices that fit or do not.
(() => {
  const builder = document.getElementById("builder");
  if (!builder) return;
  const { home } = builder.dataset;
  const roster = () => document.getElementById("roster");
  const toast = (text, level) => document.dispatchEvent(new CustomEvent("muster:toast", { detail: { text, level } }));
  const rows = () => [...roster().querySelectorAll(".roll > li")];

  // Every form of the page speaks of the roster as it now stands, also those that were not swapped.
  document.addEventListener("htmx:configRequest", (event) => {
    const { verb, path, parameters } = event.detail;
    const now = roster();
    if (!now || (verb === "get" && path !== home)) return;
    parameters.open = rows().filter((row) => row.dataset.open).map((row) => row.dataset.open).join(",");
    if (verb === "get") return;
    parameters.version = now.dataset.version;
    parameters.key = now.dataset.key;
  });
  const choice = (made) => {
    if (made.type === "radio") return { group: made.dataset.group, option: made.value };
    if (made.type === "checkbox") return { [made.checked ? "take" : "leave"]: made.value };
    return null;
  };
  // A choice that was just made is sent as what it is, so that it can be named, and undone by that name.
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, parameters, triggeringEvent } = event.detail;
    if (triggeringEvent?.type !== "change" || !elt.classList?.contains("choices")) return;
    for (const [name, value] of Object.entries(choice(triggeringEvent.target) || {})) parameters[name] = value;
  });

  // One change at a time, and no tap is lost: what is pressed while a change is on its way waits here and follows it.
  // A count waits as its difference, so that it is reckoned from the roster as it is by then.
  let busy = false;
  let waiting = [];
  let sent = null;
  const change = (form, submitter, values) => {
    const line = (submitter || form).closest("li");
    const item = { path: submitter?.getAttribute("formaction") || form.getAttribute("action"), values, price: 0 };
    if (form.id === "add") return { ...item, profile: submitter.value, price: Number(line.dataset.price) };
    if (line?.parentNode.matches(".roll")) item.row = line.id;
    if (!submitter?.closest(".step")) return item;
    const by = Number(submitter.value) - Number(line.dataset.count);
    return { ...item, values: {}, by, price: by * Number(line.dataset.each) };
  };
  const face = (row) => row && [row.dataset.count, row.querySelector(".nm").textContent, row.querySelector(".gear").textContent].join();

  // What is on its way is drawn at once, from the prices that came with the rows; the answer puts it right.
  const standing = (left, unit) => {
    const word = unit === "pts" && Math.abs(left) === 1 ? "pt" : unit;
    if (left < 0) return `${-left} ${word} too many`;
    return left ? `${left} ${word} available` : `all ${unit === "pts" ? "points" : unit} spent`;
  };
  const show = () => {
    const ahead = [sent, ...waiting].filter(Boolean);
    const { used, limit, unit } = roster().dataset;
    const total = ahead.reduce((sum, item) => sum + item.price, Number(used));
    const have = {};
    for (const row of rows()) {
      const { count, points, each, profile } = row.dataset;
      const by = ahead.reduce((sum, item) => sum + (item.row === row.id && item.by ? item.by : 0), 0);
      row.querySelector(".step output").textContent = Math.max(1, Number(count) + by);
      const price = row.querySelector(".pts");
      if (price) price.lastChild.textContent = Number(points) + by * Number(each);
      have[profile] = (have[profile] || 0) + Number(count) + by;
    }
    for (const { profile } of ahead) if (profile) have[profile] = (have[profile] || 0) + 1;
    for (const line of builder.querySelectorAll("[data-price]")) {
      const over = limit === "" ? 0 : total + Number(line.dataset.price) - Number(limit);
      const number = have[line.dataset.unit];
      line.querySelector(".have").textContent = number ? `${number}×` : "";
      line.querySelector(".over-by").textContent = over > 0 ? `${over} over` : "";
      line.querySelector(".less").toggleAttribute("data-held", Boolean(number));
      line.toggleAttribute("data-affordable", over <= 0);
    }
    if (!unit) return;
    document.querySelector("#points .fig").textContent = total;
    if (limit === "") return;
    const left = Number(limit) - total;
    for (const place of document.querySelectorAll("#points .av b, #left")) place.textContent = standing(left, unit);
    document.querySelector("#points .av dd").classList.toggle("bad", left < 0);
    document.getElementById("findings").toggleAttribute("data-over", left < 0);
  };
  const wait = (item) => {
    const same = item.by && waiting.find((other) => other.row === item.row && other.by);
    if (same) {
      same.by += item.by;
      same.price += item.price;
    } else waiting.push(item);
    show();
  };
  const follow = () => {
    busy = false;
    sent = null;
    while (waiting.length && !busy) {
      const item = waiting.shift();
      const line = item.row && document.getElementById(item.row);
      if (item.row && (!line || item.by === 0)) continue;
      if (item.by) item.values.count = Math.max(1, Number(line.dataset.count) + item.by);
      busy = true;
      sent = { ...item, face: face(line) };
      window.htmx.ajax("POST", item.path, { source: "#builder", target: "#roster", swap: "outerHTML", values: item.values });
    }
    if (roster()) show();
  };
  const ours = ({ detail }) => detail.requestConfig.verb === "post" && builder.contains(detail.elt);
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (ours(event)) busy = true;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!busy || event.target.id !== "roster") return;
    // Somebody else was quicker, in a second tab perhaps: what touches a line that is as it was is done all the same.
    const line = sent?.row && document.getElementById(sent.row);
    const isFree = sent?.isStale && !sent.isAgain && (sent.profile || (line && face(line) === sent.face));
    if (isFree) waiting = [{ ...sent, isAgain: true }, ...waiting];
    else if (sent?.isStale) waiting = [];
    follow();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const { status } = event.detail.xhr;
    if (!ours(event) || status === 0 || (status >= 200 && status < 300) || status === 409) return;
    // Not done: what waited for it was meant for another roster.
    waiting = [];
    follow();
  });
  // A lost answer: nobody knows whether the change was saved, so the page asks until it is told what is stored.
  let isLost = false;
  const ask = () => isLost && window.htmx.ajax("GET", home, { source: "#builder", target: "#roster", swap: "outerHTML" });
  const asks = ({ detail }) => detail.requestConfig.verb === "get" && detail.requestConfig.path === home;
  const lose = (event) => {
    if (!asks(event) && !ours(event)) return;
    toast("No answer. It is not known whether your change was saved; checking…", "error");
    if (asks(event)) return void setTimeout(ask, 3000);
    isLost = true;
    ask();
  };
  document.addEventListener("htmx:sendError", lose);
  document.addEventListener("htmx:timeout", lose);
  window.addEventListener("online", ask);
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!asks(event) || event.detail.xhr.status === 0) return;
    isLost = !event.detail.successful;
    if (isLost) setTimeout(ask, 3000);
    else toast("Checked: the roster shows what is saved.");
  });
  // What other scripts of this page change: [path, values, the id of its line].
  document.addEventListener("builder:change", ({ detail: [path, values, row] }) => {
    waiting.push({ path, values, row, price: 0 });
    if (!busy) follow();
  });
  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!form.hasAttribute("hx-post") || !builder.contains(form)) return;
    const item = change(form, submitter, Object.fromEntries(new FormData(form, submitter)));
    if (!busy) {
      sent = { ...item, face: face(document.getElementById(item.row)) };
      return void show();
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (item.by || item.profile || submitter?.name === "to" || form.closest(".opts")) wait(item);
  }, true);
  document.addEventListener("change", (event) => {
    const { form } = event.target;
    if (!form?.matches(".opts form[hx-trigger]") || !event.target.matches(".opt > input, select")) return;
    const item = change(form, null, choice(event.target) || Object.fromEntries(new FormData(form)));
    if (!busy) {
      sent = { ...item, face: face(document.getElementById(item.row)) };
      return;
    }
    event.stopImmediatePropagation();
    wait(item);
  }, true);

  // Someone else was quicker: the answer holds the newest state, so it is shown.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status !== 409 || !(xhr.getResponseHeader("Content-Type") || "").startsWith("text/html")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    if (sent) sent.isStale = true;
  });
  // Before anybody sees the answer, what still waits is drawn over it.
  document.addEventListener("htmx:afterSwap", () => roster() && (sent = sent?.isStale ? sent : null, show()));
  document.addEventListener("htmx:afterSettle", () => document.dispatchEvent(new CustomEvent("muster:filter")));
  if (roster()) show();

  // The options of a line that were open once open and close without a trip. After a change they are drawn anew.
  const panels = new Map();
  const fold = (row, isOpen) => {
    const button = row.querySelector(":scope > .op");
    const panel = row.querySelector(":scope > .opts");
    button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) {
      if (panel) panels.set(row.id, panel);
      panel?.remove();
      return void delete row.dataset.open;
    }
    row.dataset.open = row.id.slice(1);
    const kept = panels.get(row.id);
    if (kept) row.append(kept);
    if (kept?.querySelector("[name=version]").value === roster().dataset.version) return;
    window.htmx.ajax("GET", button.dataset.url, { target: `#${row.id}`, swap: "outerHTML" });
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".op[data-url]");
    if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const row = button.closest("li");
    fold(row, !row.dataset.open);
  });
  let opened = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr } = event.detail;
    if (target.id === "roster") opened = rows().filter((row) => row.dataset.open).map((row) => row.id);
    if (!target.matches(".roll > li") || xhr.status !== 200) return;
    // The answer of an older roster never replaces a newer line.
    const version = xhr.responseText.match(/name="version" value="(\d+)"/)?.[1];
    event.detail.shouldSwap = Boolean(target.dataset.open) && version === roster().dataset.version;
  });
  // Folds stay as they were, whatever was drawn anew.
  const folds = new Map();
  document.addEventListener("toggle", ({ target }) => target.id && folds.set(target.id, target.open), true);
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "roster") {
      for (const row of rows()) if (Boolean(row.dataset.open) !== opened.includes(row.id)) fold(row, !row.dataset.open);
    }
    for (const [id, isOpen] of folds) {
      const place = document.getElementById(id);
      if (place) place.open = isOpen;
    }
  });

  // Roster and army list are two panes on a phone.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-shows]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { shows } = link.dataset;
    builder.querySelector("[data-pane]").dataset.pane = shows;
    for (const tab of builder.querySelectorAll(".panes a")) {
      if (tab.dataset.shows === shows) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
    const address = new URL(link.href);
    history.replaceState(history.state, "", shows === "army" ? `${address.pathname}?pane=army` : address.pathname);
    builder.querySelector(".panes").scrollIntoView({ block: "start" });
  });
})();
