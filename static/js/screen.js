// The hall screen: its pages in turn, the clock by the server's time, and the last state without a network.
(() => {
  const TURN = 12_000, FETCH = 10_000, WAIT = 8_000;
  const [slides, clock, away, pause] = ["slides", "clock", "away", "pause"].map((id) => document.getElementById(id));
  const two = (number) => String(number).padStart(2, "0");
  let current = 0, paused = false, seen = new Date(), ends = 0;
  const show = () => {
    const pages = [...slides.children];
    current %= pages.length || 1;
    pages.forEach((page, place) => { page.hidden = place !== current; });
  };
  // What is left is counted from when the answer came, so the clock of this device may be wrong.
  const wind = () => { ends = performance.now() + 1000 * Number(clock.dataset.left); };
  const tick = () => {
    if (!("runs" in clock.dataset)) return;
    const left = Math.max(0, Math.round((ends - performance.now()) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${two(left % 60)}`;
    clock.classList.toggle("over", !left);
  };
  const draw = (page) => {
    const sent = page.getElementById("clock");
    slides.replaceChildren(...page.getElementById("slides").children);
    for (const name of ["left", "runs"]) delete clock.dataset[name];
    Object.assign(clock.dataset, sent.dataset);
    clock.textContent = sent.textContent;
    clock.classList.toggle("over", sent.dataset.left === "0");
    seen = new Date();
    away.textContent = "";
    wind();
    show();
  };
  const refresh = async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(WAIT) });
      // A screen that was turned off shows nothing more; a server that fails is as good as no network.
      if (answer.status === 404) location.reload();
      if (!answer.ok) throw new Error(answer.status);
      draw(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      const since = `${two(seen.getHours())}:${two(seen.getMinutes())}`;
      away.textContent = `No connection since ${since}. This is the last state.`;
    }
  };
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Continue" : "Pause";
  });
  slides.classList.add("rotates");
  wind();
  tick();
  show();
  setInterval(tick, 500);
  setInterval(refresh, FETCH);
  setInterval(() => {
    if (paused) return;
    current += 1;
    show();
  }, TURN);
})();
