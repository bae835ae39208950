// Light, dark or as the system has it. Loaded before the page is drawn, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const themes = ["auto", "paper", "ink"];
  const kept = () => {
    try {
      const theme = localStorage.getItem("theme");
      return themes.includes(theme) ? theme : "auto";
    } catch {
      return "auto";
    }
  };
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const radio of document.querySelectorAll(".theme input")) radio.checked = radio.value === theme;
  };
  root.classList.add("js");
  show(kept());
  document.addEventListener("DOMContentLoaded", () => show(kept()));
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".theme input")) return;
    try {
      localStorage.setItem("theme", event.target.value);
    } catch {
      // A browser that keeps nothing still changes this page.
    }
    show(event.target.value);
  });
  window.addEventListener("storage", (event) => {
    if (event.key === "theme") show(kept());
  });
})();
