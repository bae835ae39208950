// A QR code carries the key behind the "#", where no server sees it: put it into the form and take it out of the address.
document.addEventListener("DOMContentLoaded", () => {
  const key = decodeURIComponent(location.hash.slice(1));
  if (!/^[0-9A-Za-z -]{12,20}$/.test(key)) return;
  history.replaceState(null, "", location.pathname);
  const form = document.getElementById("join");
  form.elements.key.value = key;
  form.requestSubmit(form.querySelector('button[value="record"]'));
});
