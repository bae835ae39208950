// Further ways through the builder: a unit's story in the list, minus in the list, a name or number typed where it stands,
// Ctrl+Z, what is legal here, and focus that stays where a removed line was.
(() => {
  const builder = document.getElementById("builder");
  if (!builder) return;
  const change = (path, values, row) => document.dispatchEvent(new CustomEvent("builder:change", { detail: [path, values, row] }));

  // A name opens its unit below its line, and closes it again.
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "about" || !event.submitter) return;
    event.preventDefault();
    const line = event.submitter.closest("li");
    const open = line.querySelector(".about-place");
    event.submitter.setAttribute("aria-expanded", String(!open || open.hidden));
    // What came once is kept.
    if (open) return void (open.hidden = !open.hidden);
    const place = document.createElement("div");
    place.className = "about-place";
    line.append(place);
    const url = new URL(event.target.action);
    url.searchParams.set("unit", event.submitter.value);
    return window.htmx.ajax("GET", `${url.pathname}${url.search}`, { target: place, swap: "innerHTML" });
  });

  // One fewer of a profile: the last line of it that bears no name, else the last.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-less]");
    if (!button) return;
    const rows = [...builder.querySelectorAll(`.roll > [data-profile="${button.dataset.less}"]`)];
    const row = rows.findLast((one) => !one.querySelector(".nm .mute")) || rows.at(-1);
    row?.querySelector("[id$=-less]").click();
  });

  // Typed where it stands: Enter or leaving takes it, Escape does not.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-in-place]");
    if (!button) return;
    const { inPlace: field, url, value, label, most } = button.dataset;
    const input = document.createElement("input");
    Object.assign(input, { value, className: "in-place", autocomplete: "off", ariaLabel: label });
    if (field === "count") Object.assign(input, { type: "number", inputMode: "numeric", min: 1, max: Number(most) });
    else input.maxLength = Number(most);
    const row = button.closest("li").id;
    let isOver = false;
    const end = (isTaken) => {
      if (isOver) return;
      if (isTaken && !input.checkValidity()) return void input.reportValidity();
      isOver = true;
      const typed = input.value.trim();
      input.replaceWith(button);
      button.focus();
      if (isTaken && typed !== value) change(url, { [field]: typed }, row);
    };
    input.addEventListener("keydown", (pressed) => {
      if (pressed.key === "Enter") pressed.preventDefault();
      if (pressed.key === "Enter" || pressed.key === "Escape") end(pressed.key === "Enter");
    });
    input.addEventListener("blur", () => end(input.checkValidity()));
    button.replaceWith(input);
    input.focus();
    input.select();
  });

  // Ctrl+Z undoes the last change, but not while somebody types.
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== "z") return;
    if (event.target.matches("input:not([type=radio], [type=checkbox]), textarea, select")) return;
    const undo = document.getElementById("undo-it");
    if (!undo) return;
    event.preventDefault();
    undo.click();
  });

  // The focus stays where a removed line was: on the line that took its place, or the last.
  let place = -1;
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target.id !== "roster") return;
    const row = document.activeElement?.closest(".roll > li");
    place = row ? [...row.parentNode.children].indexOf(row) : -1;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "roster" || place < 0 || document.activeElement !== document.body) return;
    const rows = document.querySelectorAll(".roll > li");
    const next = rows[Math.min(place, rows.length - 1)];
    (next?.querySelector(".op") || document.querySelector("#roster .btn"))?.focus();
  });

  // What may be added without a new error is asked for while the box is ticked, and after each change.
  const box = builder.querySelector("[data-legal-url]");
  const askLegal = async () => {
    if (!box?.checked) return;
    const answer = await fetch(box.dataset.legalUrl, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { profiles } = await answer.json();
    for (const line of builder.querySelectorAll("[data-unit]")) {
      line.toggleAttribute("data-legal", profiles.includes(line.dataset.unit));
    }
    document.dispatchEvent(new CustomEvent("muster:filter"));
  };
  box?.addEventListener("change", askLegal);
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "roster" && askLegal());
})();
