// Lights the row and column of the figure that was tapped. On a unit's page the server draws its chart anew,
// because the answer there names the unit's weapons; elsewhere it is done in place.
// Also the Print button, and the fold that an address points into.
(() => {
  const unfold = () => {
    const place = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = place && place.closest("details:not([open])");
    if (!fold) return;
    fold.open = true;
    place.scrollIntoView();
  };
  document.addEventListener("DOMContentLoaded", unfold);
  window.addEventListener("hashchange", unfold);
  const head = (cell) => cell.textContent.trim();
  const light = (table, row, column) => {
    const columns = [...table.tHead.rows[0].cells].slice(1);
    columns.forEach((cell) => cell.classList.toggle("lit", head(cell) === column));
    let answer = "";
    for (const line of table.tBodies[0].rows) {
      const isRow = head(line.cells[0]) === row;
      line.cells[0].classList.toggle("lit", isRow);
      columns.forEach((name, place) => {
        const cell = line.cells[place + 1];
        const isColumn = head(name) === column;
        cell.className = isRow && isColumn ? "hit" : isRow || isColumn ? "lit" : "";
        if (isRow && isColumn) answer = head(cell);
      });
    }
    return answer;
  };
  const odds = (answer) => {
    const score = /^([2-6])\+$/.exec(answer);
    if (answer === "–") return "never";
    return score ? `${7 - Number(score[1])} in 6` : "";
  };
  const choose = (chart, row, column) => {
    const url = chart.dataset.chartUrl;
    if (url) {
      const asked = `${url}?${new URLSearchParams({ row, column })}`;
      window.htmx.ajax("GET", asked, { target: "#wounding", swap: "outerHTML" });
      return;
    }
    const answer = light(chart.querySelector("table"), row, column);
    const place = chart.querySelector("[data-chart-answer]");
    const strong = document.createElement("b");
    strong.textContent = answer;
    place.replaceChildren(strong, ` ${chart.dataset.modifier ? "" : odds(answer)}`);
    for (const [name, value] of [["row", row], ["column", column]]) {
      const select = chart.querySelector(`select[name="${name}"]`);
      if (select) select.value = value;
    }
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) window.print();
    const cell = event.target.closest("[data-chart] tbody td");
    if (!cell) return;
    const columns = cell.closest("table").tHead.rows[0].cells;
    choose(cell.closest("[data-chart]"), head(cell.parentElement.cells[0]), head(columns[cell.cellIndex]));
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("[data-chart] .lighter");
    if (!form) return;
    const chart = form.closest("[data-chart]");
    const column = form.elements.column?.value ?? head(chart.querySelector("table").tHead.rows[0].cells[1]);
    choose(chart, form.elements.row.value, column);
  });
})();
