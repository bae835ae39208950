// data-opens="id" opens a <dialog>, data-closes closes the one it stands in. Without script the opener's link is followed.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const dialog = opener && document.getElementById(opener.dataset.opens);
  if (dialog?.showModal) {
    event.preventDefault();
    dialog.showModal();
    return;
  }
  event.target.closest("[data-closes]")?.closest("dialog")?.close();
  if (event.target.matches?.("dialog[open]")) event.target.close();
});
