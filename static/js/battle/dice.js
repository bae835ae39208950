// Dice: rolled with the browser's own chance, read from what somebody typed, and how likely a test is to pass.

/** `"2D6"` as `{count: 2, faces: 6}`; a lone number counts faces ("D10" is one die). Null for anything else. */
export function parseDice(text) {
  const found = /^(\d{0,2})[dD](\d{1,3})$/.exec(String(text ?? "").trim());
  return found && { count: Number(found[1] || 1), faces: Number(found[2]) };
}

/** One fair number from 1 to `faces`: what would favour the low ones is thrown again. */
export function rollOne(faces) {
  const most = 2 ** 32 - (2 ** 32 % faces);
  const drawn = new Uint32Array(1);
  do crypto.getRandomValues(drawn);
  while (drawn[0] >= most);
  return (drawn[0] % faces) + 1;
}

/** The chance, from 0 to 1, that `"2D6"` passes a test; every face is counted, so it is exact. */
export function chance(text, need, rule) {
  const { count, faces } = parseDice(text);
  let totals = new Map([[0, 1]]);
  for (let die = 0; die < count; die += 1) {
    const next = new Map();
    for (const [total, ways] of totals) {
      for (let face = 1; face <= faces; face += 1) next.set(total + face, (next.get(total + face) ?? 0) + ways);
    }
    totals = next;
  }
  const good = [...totals].filter(([total]) => (rule === "at_least" ? total >= need : total <= need));
  return good.reduce((total, [, ways]) => total + ways, 0) / faces ** count;
}

/** A chance in words that never promise: 0 % and 100 % are kept for what cannot or must happen. */
export function percent(share) {
  if (share <= 0 || share >= 1) return `${Math.round(share * 100)} %`;
  return `${Math.min(99, Math.max(1, Math.round(share * 100)))} %`;
}

/** A version 4 UUID. `crypto.randomUUID` is missing on plain http, where this must work too. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32].map((end, part) => hex.slice([0, 8, 12, 16, 20][part], end)).join("-");
}
