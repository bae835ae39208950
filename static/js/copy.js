// Copy to the clipboard: data-copy-url (the text behind an address), data-copy-target (an element's id), data-copy-text.
(() => {
  const source = async (button) => {
    const { copyUrl, copyTarget, copyText } = button.dataset;
    if (copyText) return copyText;
    if (copyTarget) {
      const element = document.getElementById(copyTarget);
      return element.value ?? element.textContent;
    }
    const answer = await fetch(copyUrl, { headers: { Accept: "text/plain" }, credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.status);
    return answer.text();
  };
  const write = async (text) => {
    // A promise inside the item keeps the permission of the tap while the text is fetched.
    if (window.ClipboardItem && navigator.clipboard?.write) {
      const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
      return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    }
    return navigator.clipboard.writeText(await text);
  };
  const choose = (element) => {
    element.focus?.();
    if (element.select) element.select();
    else getSelection().selectAllChildren(element);
  };
  const copied = (button) => {
    const label = button.querySelector(".fold-label") || [...button.childNodes].find((node) => node.nodeType === 3);
    document.dispatchEvent(new CustomEvent("muster:say", { detail: "Copied" }));
    if (!label || button.dataset.was) return;
    button.dataset.was = label.textContent;
    label.textContent = "Copied";
    setTimeout(() => {
      label.textContent = button.dataset.was;
      delete button.dataset.was;
    }, 2000);
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-url], [data-copy-target], [data-copy-text]");
    if (!button || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const text = source(button);
    try {
      await write(text);
      copied(button);
    } catch {
      const element = document.getElementById(button.dataset.copyTarget);
      if (element) choose(element);
      else if (button.dataset.copyUrl) location.href = button.dataset.copyUrl;
      else prompt("Copy this:", button.dataset.copyText);
    }
  });
})();
