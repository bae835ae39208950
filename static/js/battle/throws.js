// What the dice of a recorded test come to. What engine/battles/throws.py is on the server.

/** The sum or the highest of the dice; of a throw that was repeated, only the last one. */
export function scoreOf(test, dice) {
  const thrown = test.rerolls && dice.length > test.dice.length ? dice.slice(-test.dice.length) : dice;
  return test.takes === "highest" ? Math.max(...thrown) : thrown.reduce((sum, face) => sum + face, 0);
}

/** Whether the dice pass: at most the score needed as modified, or at least it with the modifier on the dice. */
export function resultOf(test, dice, need, modifier) {
  const score = scoreOf(test, dice);
  if (score === test.fails_on) return false;
  return test.passes === "at_most" ? score <= need + modifier : score + modifier >= need;
}

/** The row of the test's table that the dice come to; beyond its ends the first or the last one counts. */
export function rowOf(test, dice, modifier) {
  const total = scoreOf(test, dice) + modifier;
  return test.rows.find((row) => total <= row.last) ?? test.rows.at(-1) ?? null;
}

/** The Leadership or Initiative a combatant takes a test on, its own or the leader's; null for every other test. */
export const ownFigure = (ground, test, said) =>
  test.against && test.of === "combatant"
    ? (ground.combatants.get(said.lent_by ?? said.combatant)[test.against] ?? null)
    : null;

/** How many further dice of a throw a counter of the side pays for. */
export const furtherOf = (test, said) =>
  test.extra_from ? Math.max(0, (said.dice?.length ?? 0) - test.dice.length) : 0;

/** Whether the combatant named may lend its Leadership for a test, as far as it was locked. */
export function mayBeLent(ground, test, said) {
  const { lends } = ground.rules;
  const lender = ground.combatants.get(said.lent_by);
  if (!lends?.tests.includes(test.id) || !lender.is_leader) return false;
  const { side } = ground.combatants.get(said.combatant);
  return lender.side === side && lender.id !== said.combatant;
}

/** The dice of a test in words: 2D6, or D10 and up to 6 D6 more. */
export function diceTold(test) {
  const throwOf = `${test.dice.length > 1 ? test.dice.length : ""}D${test.dice[0]}`;
  const again = test.rerolls ? `, or twice as many: the second ${throwOf} counts` : "";
  const more = test.extra_most ? ` and up to ${test.extra_most} D${test.extra} more` : "";
  return throwOf + again + more;
}
