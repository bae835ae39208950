// Typed faces are for one throw: after it the field is empty again, and the cursor waits there if it was used.
(() => {
  let typed = false;
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target?.id === "tray") typed = Boolean(document.getElementById("d-faces")?.value);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "tray" && typed) document.getElementById("d-faces")?.focus();
  });
})();
