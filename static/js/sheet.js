// The print button: the browser's own printing, in the print style.
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});
