// Filters lists where they stand.
// <input data-filter=".list"> by data-text (or the text) of the lists' children,
// radios <input data-filter-cat=".list"> by their data-cat, and boxes <input data-filter-flag="legal" data-filter-of=".list">
// by whether a child has data-legal. The count is spoken and written to data-filter-count.
(() => {
  const plain = (text) =>
    text
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase();
  // Halberds are found by what says halberd.
  const holds = (text, word) => text.includes(word) || (word.length > 3 && word.endsWith("s") && text.includes(word.slice(0, -1)));
  const run = (selector, speak) => {
    const lists = [...document.querySelectorAll(selector)];
    if (!lists.length) return;
    const about = (name) => document.querySelectorAll(`[${name}="${selector}"]`);
    const typed = [...about("data-filter")].map((input) => input.value).join(" ");
    const words = plain(typed).replaceAll("-", " ").split(/\s+/).filter(Boolean);
    const category = [...about("data-filter-cat")].find((radio) => radio.checked)?.value || "";
    const flags = [...about("data-filter-of")].filter((box) => box.checked).map((box) => box.dataset.filterFlag);
    const fits = (item, text) =>
      words.every((word) => holds(text, word)) &&
      (!category || item.dataset.cat === category) &&
      flags.every((flag) => flag in item.dataset);
    let shown = 0;
    let all = 0;
    for (const list of lists) {
      const before = shown;
      for (const item of list.children) {
        item.hidden = !fits(item, plain(item.dataset.text || item.textContent));
        if (!item.hidden) shown += 1;
        all += 1;
      }
      // What was looked for by a word is shown where it is folded away, too.
      const fold = list.closest("details");
      if (fold && words.length) fold.open = shown > before;
    }
    const said = `${shown} of ${all} shown`;
    for (const place of about("data-filter-count")) place.textContent = said;
    for (const place of about("data-filter-none")) place.hidden = shown > 0;
    if (speak) document.dispatchEvent(new CustomEvent("muster:say", { detail: said }));
  };
  const target = ({ dataset }) => dataset?.filter || dataset?.filterCat || dataset?.filterOf;
  const react = (event) => target(event.target) && run(target(event.target), true);
  document.addEventListener("input", react);
  document.addEventListener("change", react);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.dataset?.filter && !event.target.form) event.preventDefault();
  });
  const refresh = () => {
    const lists = [...document.querySelectorAll("[data-filter]")].map((input) => input.dataset.filter);
    for (const selector of new Set(lists)) run(selector, false);
  };
  document.addEventListener("DOMContentLoaded", refresh);
  document.addEventListener("htmx:afterSettle", refresh);
  document.addEventListener("muster:filter", refresh);
})();
