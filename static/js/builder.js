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
  // A choice that was just made is sent as what it is, so that it can be named, and undone by that name.
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, parameters, triggeringEvent } = event.detail;
    const made = triggeringEvent?.type === "change" && elt.classList?.contains("choices") ? triggeringEvent.target : null;
    if (made?.type === "radio") {
      parameters.group = made.dataset.group;
      parameters.option = made.value;
    } else if (made?.type === "checkbox") {
      parameters[made.checked ? "take" : "leave"] = made.value;
    }
  });
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
      const number = have[line.querySelector("button").value];
      line.querySelector(".have").textContent = number ? `${number}×` : "";
      line.querySelector(".over-by").textContent = over > 0 ? `${over} over` : "";
    }
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
