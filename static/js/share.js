// [data-share]: a link to the page that shares a warband. Where the device has a share sheet, the tap opens that
// instead: the link is turned on first, and off again where nothing was sent.
(() => {
  if (!navigator.share) return;
  const say = (words) => document.dispatchEvent(new CustomEvent("muster:say", { detail: words }));
  const form = async (page) => {
    const answer = await fetch(page, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) throw new Error(answer.status);
    const shown = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-sharing]");
    return { fields: new FormData(shown), link: shown.dataset.sharing };
  };
  const save = async (page, fields, visibility) => {
    fields.set("visibility", visibility);
    const answer = await fetch(page, { method: "POST", body: fields, credentials: "same-origin" });
    if (!answer.redirected) throw new Error(answer.status);
  };
  document.addEventListener("click", async (event) => {
    const tapped = event.target.closest("[data-share]");
    if (!tapped || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const page = tapped.href;
    let wasPrivate = false;
    try {
      const { fields, link } = await form(page);
      wasPrivate = fields.get("visibility") === "private";
      if (wasPrivate) await save(page, fields, "link");
      await navigator.share({ title: tapped.dataset.share, text: tapped.dataset.share, url: link });
      if (wasPrivate) say("Anyone with the link can see this warband now.");
    } catch (error) {
      if (!wasPrivate && error.name === "AbortError") return;
      if (wasPrivate && error.name === "AbortError") {
        await save(page, (await form(page)).fields, "private");
        say("Nothing was sent. The warband is private again.");
        return;
      }
      location.href = page;
    }
  });
})();
