// What every htmx request of the site needs: the CSRF token, and words when it fails.
(() => {
  const words = {
    0: "No connection. Nothing was changed; try again when you have signal.",
    400: "That was not understood, and nothing was changed.",
    403: "You may not do that here. Reload the page, then try again.",
    404: "That is no longer there. Reload the page.",
    409: "Somebody changed this in the meantime. Reload the page to see the newest.",
    412: "Somebody changed this in the meantime. Reload the page to see the newest.",
    413: "That is too large. Nothing was changed.",
    429: "That was too quick. Wait a minute, then try again.",
  };
  const toast = (text, level) => document.dispatchEvent(new CustomEvent("muster:toast", { detail: { text, level } }));

  document.addEventListener("htmx:configRequest", (event) => {
    const token = document.querySelector("[name=csrfmiddlewaretoken]");
    if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.value;
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    const plain = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/plain");
    const said = plain && xhr.responseText.length < 300 ? xhr.responseText : words[xhr.status];
    toast(said || "That did not work, and it is our fault. Nothing was changed; try again.", "error");
  });
  // Someone else was quicker: where the answer holds the newest state, it is shown.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    const isPage = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");
    if (xhr.status !== 409 || !isPage || !target.matches("[data-newest]")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
  document.addEventListener("htmx:sendError", () => toast(words[0], "error"));
  document.addEventListener("htmx:timeout", () => toast(words[0], "error"));
})();
