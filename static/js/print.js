// Whichever page of a warband is printed, its sheet comes out of the printer.
(() => {
  const { sheet } = document.currentScript.dataset;
  let print = null;
  window.addEventListener("beforeprint", () => {
    // Printing waits for nothing, so what it prints is fetched before this listener returns.
    const request = new XMLHttpRequest();
    request.open("GET", sheet, false);
    try {
      request.send();
    } catch {
      return;
    }
    const paper = request.status === 200 && new DOMParser().parseFromString(request.responseText, "text/html").querySelector(".rsheet");
    if (!paper) return;
    print = document.createElement("div");
    print.id = "print";
    print.className = "print-only";
    print.append(document.importNode(paper, true));
    document.body.append(print);
  });
  window.addEventListener("afterprint", () => print?.remove());
})();
