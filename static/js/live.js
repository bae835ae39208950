// Speaks what changed and shows short messages.
// Markup: data-say on anything that is swapped in. Events: HX-Trigger {"say": "…"} and {"toast": "…"}.
(() => {
  let waiting = [];
  const say = (text) => {
    if (!text) return;
    if (!waiting.length) {
      setTimeout(() => {
        const live = document.getElementById("live");
        if (live) live.textContent = waiting.join(". ");
        waiting = [];
      }, 120);
    }
    if (!waiting.includes(text)) waiting.push(text);
  };
  const toast = (text, level = "plain") => {
    const place = document.getElementById("toasts");
    if (!place || !text) return;
    const box = document.createElement("div");
    box.className = `toast is-${level}`;
    const line = document.createElement("span");
    line.textContent = text;
    const close = document.createElement("button");
    close.type = "button";
    close.className = "btn";
    close.dataset.dismiss = "";
    close.textContent = "Close";
    box.append(line, close);
    place.replaceChildren(box);
    say(text);
    if (level !== "error") setTimeout(() => box.remove(), 10000);
  };
  const spoken = (event) => (typeof event.detail === "string" ? event.detail : event.detail?.value);

  document.addEventListener("htmx:load", (event) => {
    const part = event.detail.elt;
    if (part === document.body || !part.querySelectorAll) return;
    for (const one of [part, ...part.querySelectorAll("[data-say]")]) say(one.dataset?.say);
    part.querySelector("[data-focus]")?.focus();
  });
  document.addEventListener("say", (event) => say(spoken(event)));
  document.addEventListener("toast", (event) => toast(spoken(event)));
  document.addEventListener("muster:say", (event) => say(event.detail));
  document.addEventListener("muster:toast", (event) => toast(event.detail.text, event.detail.level));
  document.addEventListener("click", (event) => event.target.closest("[data-dismiss]")?.closest(".toast")?.remove());
  document.addEventListener("DOMContentLoaded", () => {
    const focused = document.querySelector("[data-focus]");
    // The address may name the part of the page whose form was sent: the browser would go there instead.
    if (focused && location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    focused?.focus();
    for (const one of document.querySelectorAll("#toasts .toast span")) say(one.textContent);
  });
})();
