// Filters a list where it stands.
// <input data-filter="#list"> by data-text (or the text) of the list's children,
// radios <input data-filter-cat="#list"> by their data-cat. The count is spoken and written to data-filter-count.
(() => {
  const plain = (text) =>
    text
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase();
  const run = (selector, speak) => {
    const list = document.querySelector(selector);
    if (!list) return;
    const about = (name) => document.querySelectorAll(`[${name}="${selector}"]`);
    const words = plain([...about("data-filter")].map((input) => input.value).join(" ")).split(/\s+/).filter(Boolean);
    const category = [...about("data-filter-cat")].find((radio) => radio.checked)?.value || "";
    let shown = 0;
    for (const item of list.children) {
      const text = plain(item.dataset.text || item.textContent);
      const fits = words.every((word) => text.includes(word)) && (!category || item.dataset.cat === category);
      item.hidden = !fits;
      if (fits) shown += 1;
    }
    const said = `${shown} of ${list.children.length} shown`;
    for (const place of about("data-filter-count")) place.textContent = said;
    for (const place of about("data-filter-none")) place.hidden = shown > 0;
    if (speak) document.dispatchEvent(new CustomEvent("muster:say", { detail: said }));
  };
  const target = (element) => element.dataset?.filter || element.dataset?.filterCat;
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
})();
