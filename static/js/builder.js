// The builder's moving parts: forms that stay valid after a swap, panes on a phone, prices that fit or do not.
(() => {
  const builder = document.getElementById("builder");
  if (!builder) return;
  const roster = () => document.getElementById("roster");

  // Every form of the page speaks of the roster as it now stands, also those that were not swapped.
  document.addEventListener("htmx:configRequest", (event) => {
    const now = roster();
    if (!now || event.detail.verb === "get") return;
    event.detail.parameters.version = now.dataset.version;
    event.detail.parameters.key = now.dataset.key;
    event.detail.parameters.open = [...now.querySelectorAll("[data-open]")].map((row) => row.dataset.open).join(",");
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
  const difference = (button) => Number(button.value) - Number(button.closest("li").dataset.count);
  const show = () => {
    for (const row of roster().querySelectorAll(".roll > li")) {
      const more = [sent, ...waiting].filter((one) => one?.row === row.id).reduce((sum, one) => sum + one.by, 0);
      row.querySelector(".step output").textContent = Math.max(1, Number(row.dataset.count) + more);
    }
  };
  const wait = (path, values, count = {}) => {
    const same = count.row && waiting.find((one) => one.row === count.row);
    if (same) same.by += count.by;
    else waiting.push({ path, values, ...count });
    show();
  };
  const follow = () => {
    busy = false;
    sent = null;
    while (waiting.length && !busy) {
      const { path, values, row, by } = waiting.shift();
      const line = row && document.getElementById(row);
      if (row && (!line || !by)) continue;
      if (row) sent = { row, by };
      if (row) values.count = Math.max(1, Number(line.dataset.count) + by);
      busy = true;
      window.htmx.ajax("POST", path, { source: "#builder", target: "#roster", swap: "outerHTML", values });
    }
    if (roster()) show();
  };
  const ours = (event) => event.detail.requestConfig.verb === "post" && builder.contains(event.detail.elt);
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (ours(event)) busy = true;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (busy && event.target.id === "roster") follow();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const { xhr } = event.detail;
    if (!ours(event) || (xhr.status >= 200 && xhr.status < 300)) return;
    // Not done: what waited for it was meant for another roster.
    waiting = [];
    if (xhr.status !== 409) follow();
  });
  // What other scripts of this page change: [path, values].
  document.addEventListener("builder:change", ({ detail: [path, values] }) => {
    waiting.push({ path, values });
    if (!busy) follow();
  });
  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!form.hasAttribute("hx-post") || !builder.contains(form)) return;
    if (!busy) {
      sent = submitter?.closest(".step") ? { row: submitter.closest("li").id, by: difference(submitter) } : null;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    const path = submitter?.getAttribute("formaction") || form.getAttribute("action");
    if (submitter?.closest(".step")) {
      const row = submitter.closest("li").id;
      wait(path, {}, { row, by: difference(submitter) });
    } else if (form.id === "add" || submitter?.name === "to" || form.closest(".opts")) {
      wait(path, Object.fromEntries(new FormData(form, submitter)));
    }
  }, true);
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!busy || !form?.matches(".opts form[hx-trigger]") || !event.target.matches(".opt > input, select")) return;
    event.stopImmediatePropagation();
    wait(form.getAttribute("action"), choice(event.target) || Object.fromEntries(new FormData(form)));
  }, true);

  // Someone else was quicker: the answer holds the newest state, so it is shown.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (xhr.status !== 409 || !(xhr.getResponseHeader("Content-Type") || "").startsWith("text/html")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });

  // What each profile of the army list would be over by, and how many of it are on the roll.
  const price = () => {
    const { used, limit } = roster().dataset;
    const have = {};
    for (const row of roster().querySelectorAll("[data-profile]")) {
      have[row.dataset.profile] = (have[row.dataset.profile] || 0) + Number(row.dataset.count);
    }
    for (const line of builder.querySelectorAll("[data-price]")) {
      const over = limit === "" ? 0 : Number(used) + Number(line.dataset.price) - Number(limit);
      const number = have[line.dataset.unit];
      line.querySelector(".have").textContent = number ? `${number}×` : "";
      line.querySelector(".over-by").textContent = over > 0 ? `${over} over` : "";
      line.querySelector(".less").toggleAttribute("data-held", Boolean(number));
      line.toggleAttribute("data-affordable", over <= 0);
    }
    document.dispatchEvent(new CustomEvent("muster:filter"));
  };
  document.addEventListener("htmx:afterSettle", () => roster() && price());
  if (roster()) price();

  // Findings folded open stay open.
  let unfolded = false;
  document.addEventListener("toggle", (event) => {
    if (event.target.id === "more-findings") unfolded = event.target.open;
  }, true);
  document.addEventListener("htmx:afterSettle", () => {
    const more = document.getElementById("more-findings");
    if (more && unfolded) more.open = true;
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
