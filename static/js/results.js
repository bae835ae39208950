// The results of a round from the keyboard. In a row of [data-slips] a letter says who won: A the first, B the
// second, C the third, D a draw; Y accepts. From the casualties of a row that has a winner it goes on to the next.
(() => {
  const form = document.querySelector("[data-slips]");
  if (!form) return;
  const rows = [...form.querySelectorAll("[data-slip]")].filter((row) => row.querySelector("[type=radio]"));
  const isFigure = (input) => input.matches("[data-slip] input[type=number]");
  const figures = (row) => [...row.querySelectorAll("input")].filter(isFigure);
  const winner = (row) => row.querySelector("[type=radio]:checked");
  let counts = matchMedia("(pointer: fine)").matches;
  const answers = (row) => {
    const radios = [...row.querySelectorAll("[type=radio]")];
    const isDraw = (radio) => radio.value.startsWith("nobody:");
    const keys = new Map(radios.filter((radio) => !isDraw(radio)).map((radio, place) => ["abc"[place], radio]));
    const accept = row.querySelector("[type=checkbox]");
    return keys.set("d", radios.find(isDraw)).set("y", accept);
  };
  const goOn = (row) => (figures(row)[0] || winner(row) || row.querySelector("[type=radio]")).focus();
  form.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const place = rows.indexOf(target.closest("[data-slip]"));
    const isText = target.matches("[type=text], textarea, select");
    if (place < 0 || isText || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isFigure(target) && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      const next = rows[place + (key === "ArrowDown" ? 1 : -1)];
      const column = figures(rows[place]).indexOf(target);
      if (next) (figures(next)[column] || winner(next) || next.querySelector("input[type=radio]")).focus();
      return;
    }
    if (key === "Enter" && target.type === "radio") {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    const isLetter = key.length === 1 && /[a-dy]/i.test(key);
    if (!isLetter) return;
    event.preventDefault();
    const row = isFigure(target) && winner(rows[place]) ? rows[place + 1] : rows[place];
    const choice = row && answers(row).get(key.toLowerCase());
    if (!choice) return;
    choice.checked = true;
    if (choice.type === "radio") goOn(row);
    else if (rows.indexOf(row) + 1 < rows.length) rows[rows.indexOf(row) + 1].querySelector("[type=radio]").focus();
    document.dispatchEvent(new CustomEvent("muster:say", { detail: choice.closest("label, .field").innerText }));
  });
  // A finger that counts casualties goes on to them; one that only taps winners gets no keyboard.
  form.addEventListener("input", ({ target }) => {
    if (isFigure(target)) counts = true;
  });
  form.addEventListener("click", ({ target, detail }) => {
    if (counts && detail && target.type === "radio") goOn(target.closest("[data-slip]"));
  });
  (form.querySelector("[aria-invalid], [data-fault]") || rows[0]?.querySelector("[type=radio]"))?.focus();
})();
