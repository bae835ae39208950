// Elements from calls, and a page that changes in place: focus, scroll and open folds stay where they were.
const SVG = "http://www.w3.org/2000/svg";
const isThere = (part) => part !== null && part !== undefined && part !== false && part !== "";

/** An element: `h("p.mute", {id: "x"}, "words", other)`. Text is always text; nothing here takes HTML. */
export function h(tag, given = {}, ...inside) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.filter(Boolean).join(" ");
  for (const [key, value] of Object.entries(given)) {
    if (isThere(value) || value === "") element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside.flat(Infinity).filter(isThere));
  return element;
}

/** A picture of the sprite, hidden from readers: what it means stands beside it. */
export function icon(name) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "i");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.sprite}#${name}`);
  picture.append(use);
  return picture;
}

/** A button that asks for something: `does` names an entry of the screen's table of acts. */
export function press(does, given, ...inside) {
  const { css = "btn", ...rest } = given;
  return h("button", { type: "button", class: css, "data-do": does, ...rest }, ...inside);
}

/** A figure with minus and plus: both ask for `does` with the next figure in `data-to`; `most` null knows no end. */
export function stepper(label, value, { does, least, most, text, ...given }) {
  const face = (by) =>
    press(
      does,
      {
        css: "",
        ...given,
        "data-to": value + by,
        disabled: by > 0 ? most !== null && value >= most : value <= least,
        "aria-label": `${label}: one ${by > 0 ? "more" : "fewer"}`,
      },
      icon(by > 0 ? "plus" : "minus"),
    );
  const shown = h("output", {}, text ?? String(value).replace("-", "−"));
  const step = h("div.step", { role: "group", "aria-label": label }, face(-1), shown, face(1));
  return h("div.count", {}, h("span", {}, label), step);
}

const SAME = "SAME-AS-BEFORE";
const drawn = new Map();

/** The element `build()` makes, which has this id; only its place while the page has it with the same `signature`. */
export function unlessSame(id, signature, build) {
  if (drawn.get(id) === signature && document.getElementById(id)) return h(SAME.toLowerCase(), { id });
  drawn.set(id, signature);
  return build();
}

const alike = (old, fresh) => old && !old.id && old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName;

/** Make `old` look like `fresh`, touching only what differs. Elements with an id are found again wherever they went. */
export function patch(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const named = new Map([...old.children].filter((one) => one.id).map((one) => [one.id, one]));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = child.id ? named.get(child.id) : alike(at, child) && at;
    if (!known) {
      old.insertBefore(child, at);
      continue;
    }
    if (known === at) at = at.nextSibling;
    else old.insertBefore(known, at);
    if (child.nodeName === SAME) continue;
    if (known.nodeType !== Node.ELEMENT_NODE) {
      if (known.data !== child.data) known.data = child.data;
    } else patch(known, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Put this inside the element, in place of what is there. */
export function fill(element, ...inside) {
  const fresh = element.cloneNode(false);
  fresh.append(...inside.flat(Infinity).filter(isThere));
  patch(element, fresh);
}

/** Speak to people who listen rather than look; said together when several things happen at once. */
let waiting = [];
export function say(text) {
  if (!text) return;
  if (!waiting.length) {
    setTimeout(() => {
      document.getElementById("live").textContent = waiting.join(". ");
      waiting = [];
    }, 120);
  }
  if (!waiting.includes(text)) waiting.push(text);
}
