// Who may do what when: every refusal of the fold, by the guards of the packs and by the steps. What
// engine/battles/guards.py is on the server, with the same sentences. What the players force is asked for none of it.
import { isGone, routExcuse, routLosses, routState, routThreshold, say, stateName, stepOf } from "./rout.js";
import { furtherOf } from "./throws.js";

/** The names in a row, the last one after "or". */
const either = (names) => (names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);
const meets = (wanted, had) => wanted.some((id) => had.includes(id));

/** Why the rules forbid an act as the battle stands, or "". */
export function refusal(game, kind, said) {
  const man = game.men.get(said.combatant);
  const isOn = said.on ?? true;
  let reason = "";
  if (kind === "state") reason = noStep(game, man, said.to);
  else if (kind === "mark" && isOn) reason = noMark(game, man, game.rules.marks[said.mark]);
  else if (kind === "test") {
    const rule = game.rules.tests[said.test];
    if (rule.loses) return noRout(game, said);
    if (man) reason = noTest(game, rule, man) || unlent(game, said) || noDice(game, rule, man, said);
  } else if (kind === "counter" && !man) reason = unpaid(game, said);
  return reason || (isOn ? guarded(game, kind, said) : "");
}

/** What the first guard says that stands against an act, or "". */
function guarded(game, kind, said) {
  const isNext = kind === "turn" && said.number === game.turn;
  const act = isNext ? "next" : kind === "state" ? said.to : said[kind];
  const guards = game.ground.tables.guards.get(`${kind} ${act}`) ?? [];
  const man = game.men.get(said.combatant);
  const flank = game.flanks.get(man ? man.combatant.side : said.side);
  if (guards.length && kind === "counter" && said.to <= (man ?? flank).counters[act]) return "";
  const against = guards.find((guard) => {
    if (game.rows.has(guard.until_row) || (man && !isAbout(game, guard, man, said))) return false;
    if (!man && guard.once && flank?.taken.includes(act)) return true;
    if (guard.in_order && game.active.length && isEarlier(game, act)) return true;
    const isOpen = isMoment(game, guard, said, flank?.side.id) && !isFailed(game, guard);
    return !isOpen || Boolean(man && !(may(game, guard, man, act) && mayFinish(guard, man, said.by)));
  });
  if (!against) return "";
  const name = man?.combatant.name ?? flank?.side.name;
  return name ? `${name}: ${against.says}` : against.says;
}

/**
 * Whether a guard is about a combatant of this kind in this state and phase. What a device was not told, traits and
 * dice, nobody holds against its events.
 */
function isAbout(game, guard, { combatant, state }, said = {}) {
  const { kinds = [], traits = [] } = combatant;
  return (
    (!guard.before.length || guard.before.includes(state)) &&
    (!guard.during.length || guard.during.includes(game.phase)) &&
    (!guard.kinds.length || meets(guard.kinds, kinds)) &&
    (!guard.traits.length || (!said.unseen && meets(guard.traits, traits))) &&
    !meets(guard.others, kinds)
  );
}

/** Whether a phase comes before the one at hand. */
function isEarlier({ rules: { phases }, phase }, other) {
  const placeOf = (wanted) => phases.findIndex(({ id }) => id === wanted);
  return placeOf(other) < placeOf(phase);
}

/** Whether it is a moment of the guard, by what the recording device showed where it says. */
function isMoment(game, { moments }, said, side) {
  if (!moments.length || !game.active.length) return true;
  const now = said.in_phase ?? game.phase;
  const active = said.in_turn_of ? [said.in_turn_of] : game.active;
  const whose = active.includes(side) ? "own" : "enemy";
  return moments.some((moment) => {
    const [phase, of] = moment.split(".");
    return (!phase || phase === now) && (!of || of === whose || active.length > 1 || !side);
  });
}

/** Whether states, marks, Wounds, counters and tests are as a guard asks. */
function may(game, guard, man, act) {
  const { least } = guard;
  return (
    !guard.never &&
    !(guard.once && man.phaseTaken.has(act)) &&
    !man.taken.includes(guard.untaken) &&
    (!guard.began.length || !game.active.length || guard.began.includes(man.turnBegan)) &&
    (!guard.follow_up || man.asks === act) &&
    (!guard.when.length || guard.when.includes(man.state)) &&
    !guard.not_with.some((id) => man.marks.has(id)) &&
    (!guard.needs.length || guard.needs.some((id) => man.marks.has(id))) &&
    (guard.wounds === null || (man.wounds ?? 0) <= guard.wounds) &&
    (least === null || man.counters[least[0]] >= least[1])
  );
}

/** Whether nothing helps a combatant to this act, or nobody sent it to this test: it is not offered. */
export const isNever = (game, act, man) =>
  (game.ground.tables.guards.get(act) ?? []).some(
    (guard) => (guard.never || (guard.follow_up && `test ${man.asks}` !== act)) && isAbout(game, guard, man),
  );

// Kinds of events that may say that its device was not told of the combatant.
const UNSEEN = new Set(["state", "mark", "counter", "test"]);

/** What to record with an act whose guards ask for a moment: the one that this device shows. */
export function withMoment({ game, phase, side }, kind, said) {
  const guards = game.ground.tables.guards.get(`${kind} ${kind === "state" ? said.to : said[kind]}`) ?? [];
  const man = game.men.get(said.combatant);
  const isBound = guards.some((guard) => guard.moments.length && (!man || isAbout(game, guard, man)));
  if (said.forced || kind === "phase") return said;
  const seen = { ...said, ...(UNSEEN.has(kind) && man?.combatant.is_hidden && { unseen: true }) };
  return side && isBound ? { ...seen, in_phase: phase, in_turn_of: side } : seen;
}

/** Whether somebody may be hurt by this hand after it came to lie in this phase, or before. */
function mayFinish({ felled }, man, by) {
  if (felled === "same") return man.fell && (by === undefined || man.felledBy === null || man.felledBy === by);
  if (felled === "anybody") return man.fell;
  if (felled === "earlier") return !man.worsened;
  if (felled === "now") return man.sank;
  if (felled === "other") return !man.fell || (by !== undefined && by !== man.felledBy);
  return felled !== "nobody" || !man.fell;
}

/** Whether a side has failed the test that a guard names since the turn number changed. */
const isFailed = (game, { not_failed: test }) => [...game.flanks.values()].some(({ failed }) => failed.has(test));

/** Why the rules do not lead to a state from this one, or not in this turn, or "". */
function noStep(game, man, to) {
  const { after, names } = game.ground.tables;
  const { name, side } = man.combatant;
  const fields = { name, state: stateName(game, man) };
  if (!stepOf(game, man, to)) {
    const ways = after.get(man.state).map((key) => names.get(key));
    if (!ways.length) return say(game, "no_way", fields);
    return say(game, "no_step", { ...fields, known: either(ways), to: names.get(to) });
  }
  const isBarred = ({ began, to: end }) => began === man.turnBegan && end === to;
  if (!game.active.includes(side) || !game.rules.bars.some(isBarred)) return "";
  return say(game, "too_far", { name, began: names.get(man.turnBegan), to: names.get(to) });
}

/** Why a mark may not be set in this state, or beside another mark, or "". */
function noMark(game, man, rule) {
  const fields = { name: man.combatant.name, mark: rule.name };
  if (rule.when.length && !rule.when.includes(man.state) && man.state !== rule.shown_by) {
    return say(game, "no_mark", { ...fields, state: stateName(game, man) });
  }
  const other = rule.not_with.find((id) => man.marks.has(id));
  return other ? say(game, "mark_barred", { ...fields, other: game.rules.marks[other].name }) : "";
}

/** Why a combatant takes no such test as it stands, or "". */
function noTest(game, rule, man) {
  const fields = { name: man.combatant.name, test: rule.name };
  if (rule.when.length && !rule.when.includes(man.state)) {
    const ways = either(rule.when.map((key) => game.ground.tables.names.get(key)));
    return say(game, "not_when", { ...fields, known: ways, state: stateName(game, man) });
  }
  if (rule.once && man.taken.includes(rule.id)) return say(game, "once", fields);
  if (!rule.needs_counter || meets(rule.alone, man.combatant.kinds ?? [])) return "";
  const [id, least] = rule.needs_counter;
  const value = man.counters[id];
  if (value >= least) return "";
  return say(game, "counter_low", { ...fields, least, counter: game.rules.counters[id].name, value });
}

/** How many D6 a combatant runs: its own, or those of a mark it carries; null where nobody knows. */
export function flightOf({ rules }, { marks, combatant }) {
  const marked = [...marks].map((id) => rules.marks[id].flight).find((dice) => dice);
  return marked ?? combatant.flight ?? null;
}

/** Why these dice are not thrown for a test, or "". */
function noDice(game, rule, man, said) {
  const count = said.dice?.length ?? 0;
  const { name, side } = man.combatant;
  const { men, counters } = game.flanks.get(side);
  const isTold = !said.unseen && !man.combatant.is_hidden;
  const own = rule.throws && count && isTold ? flightOf(game, man) : null;
  if (own !== null) {
    const due = own - (rule.causes.find(({ id }) => id === said.cause)?.fewer ?? 0);
    if (count !== due) return say(game, "dice_other", { name, test: rule.name, count: due });
  }
  if (isTold && rule.rerolls_near.length && count > rule.dice.length && !mayReroll(game, rule, men)) {
    return say(game, "no_reroll", { name, test: rule.name });
  }
  const value = counters[rule.extra_from] ?? 0;
  if (furtherOf(rule, said) <= value) return "";
  return say(game, "spent", { side: game.flanks.get(side).side.name, counter: game.rules.counters[rule.extra_from].name, value });
}

/** Whether somebody is on a side who gives a test its second throw. */
export const mayReroll = (game, rule, men) =>
  men.some((man) => man.combatant.is_hidden || (!isGone(game, man) && meets(rule.rerolls_near, man.combatant.traits ?? [])));

/** What raising a counter so high costs, with what the side has bought of it in this turn. */
export function price(rule, flank, to) {
  const bought = flank.bought[rule.id] ?? 0;
  const total = bought + to - flank.counters[rule.id];
  const prices = [0, ...rule.prices];
  // Beyond the printed prices nothing is sold.
  return total < prices.length ? prices[total] - prices[bought] : 99;
}

/** Why a side cannot pay for raising a counter, or "". */
function unpaid(game, { counter, side: id, to }) {
  const rule = game.rules.counters[counter];
  const flank = game.flanks.get(id);
  if (!rule.pays || to <= flank.counters[counter]) return "";
  const cost = price(rule, flank, to);
  const value = flank.counters[rule.pays];
  return cost <= value ? "" : say(game, "price", { side: flank.side.name, counter: rule.name, to, cost, value });
}

/** Why the leader lends nobody his Leadership as he stands, or "". */
function unlent(game, said) {
  if (said.lent_by === undefined) return "";
  const lender = game.men.get(said.lent_by);
  if (!isGone(game, lender) && !game.rules.lends.barred.includes(lender.state)) return "";
  return say(game, "lends_not", { name: lender.combatant.name, state: stateName(game, lender) });
}

/** Why a side takes no Rout test, or "": one that it asks for may be taken at any moment. */
function noRout(game, said) {
  const flank = game.flanks.get(said.side);
  const rout = routState(game, flank);
  const { name } = flank.side;
  if (rout.may_ask) return "";
  if (rout.due) return guarded(game, "test", said);
  const excuse = routExcuse(game, flank);
  if (excuse) return excuse;
  if (rout.taken) return say(game, "rout_taken", { side: name });
  const { lost, size } = routLosses(game, flank);
  return say(game, "rout_not_due", { side: name, out: lost, size, from: routThreshold(game.rules.rout, size) });
}
