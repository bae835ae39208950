// What every htmx request of the site needs: the CSRF token, and words when it fails.
(() => {
  const words = {
    0: "No answer. It is not known whether this was saved. Reload the page to see.",
    400: "The server did not understand this. Nothing was changed.",
    403: "You cannot do this here. Reload the page, then try again.",
    404: "This no longer exists. Reload the page.",
    409: "Somebody else saved a change first. Reload the page.",
    412: "Somebody else saved a change first. Reload the page.",
    413: "Too large. Nothing was changed.",
    429: "Too many requests. Wait a minute, then try again.",
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
    toast(said || "Something failed on our side. Nothing was changed. Try again.", "error");
  });
  // Someone else was quicker: where the answer holds the newest state, it is shown.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    const isPage = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");
    if (xhr.status !== 409 || !isPage || !target.matches("[data-newest]")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
  const lost = ({ detail }) =>
    toast(detail.requestConfig.verb === "get" ? "No connection. Try again when you have signal." : words[0], "error");
  document.addEventListener("htmx:sendError", lost);
  document.addEventListener("htmx:timeout", lost);
})();
