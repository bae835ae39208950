// Another name at a tap, of those that came with the page.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-names]");
  if (!button) return;
  const [name, ...others] = JSON.parse(button.dataset.names);
  document.getElementById(button.dataset.field).value = name;
  button.dataset.names = JSON.stringify([...others, name]);
  document.dispatchEvent(new CustomEvent("muster:say", { detail: name }));
});
