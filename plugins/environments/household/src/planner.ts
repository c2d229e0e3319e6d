/**
 * @file Plans by the structure of a task: fetch a thing, treat it, bring it to where it belongs. A plan that knows everything says
 * whether a level can be solved; one that looks for the things shows an agent how to play.
 */
import { act, type Action, devices } from './commands.js';
import { contentsOf, hasMark, type House, type HouseState, isAccessible, receptaclesHere } from './house.js';
import { countOf, isReady, isSolved, type Task, treatmentOf } from './task.js';

/** A state that is followed while a plan grows. */
class Draft {
  readonly actions: Action[] = [];

  constructor(
    private readonly house: House,
    public state: HouseState,
  ) {}

  do(action: Action): void {
    this.state = act(this.house, this.state, action);
    this.actions.push(action);
  }

  goTo(receptacle: number): void {
    if (this.house.receptacles[receptacle]!.location !== this.state.at) this.do({ verb: 'go', receptacle });
  }

  open(receptacle: number): void {
    this.goTo(receptacle);
    if (!isAccessible(this.house, this.state, receptacle)) this.do({ verb: 'open', receptacle });
  }
}

/** Finds receptacles that can be reached, of a kind if given. */
const reachable = ({ receptacles }: House, kind?: string): readonly number[] =>
  [...receptacles.keys()].filter(
    (index) => receptacles[index]!.location >= 0 && (kind === undefined || receptacles[index]!.kind === kind),
  );

/**
 * The fewest actions that solve the task with the things that are known (all of them, unless a test is given); empty if it is
 * solved, undefined where it cannot be.
 */
export function planShortest(
  house: House,
  state: HouseState,
  task: Task,
  isKnown: (thing: number) => boolean = () => true,
): readonly Action[] | undefined {
  if (isSolved(house, state, task)) return [];
  const candidates = [...house.things.keys()].filter(
    (thing) => house.things[thing]!.kind === task.thing && (thing === state.held || isKnown(thing)),
  );
  let best: readonly Action[] | undefined;
  const offer = (actions: readonly Action[] | undefined): void => {
    if (actions !== undefined && actions.length < (best?.length ?? Infinity)) best = actions;
  };
  if (task.type === 'look_at_obj_in_light') {
    for (const thing of candidates)
      for (const lamp of lampsOf(house, state, task))
        if (isKnown(lamp)) offer(examine(house, state, thing, lamp));
    return best;
  }
  for (const target of reachable(house, task.target))
    for (const chosen of choices(house, state, task, candidates, target))
      for (const device of devicesOf(house, task)) offer(bring(house, state, task, chosen, target, device));
  return best;
}

/** The device of a task, of which there may be several; undefined stands for a task without. */
function devicesOf(house: House, { type }: Task): readonly (number | undefined)[] {
  const treatment = treatmentOf[type];
  return treatment === undefined ? [undefined] : reachable(house, devices[treatment]);
}

const lampsOf = (house: House, state: HouseState, { target }: Task): readonly number[] =>
  [...house.things.keys()].filter(
    (thing) =>
      house.things[thing]!.kind === target &&
      house.things[thing]!.traits.has('toggleable') &&
      state.inside[thing]!.some((place) => house.receptacles[place]!.location >= 0),
  );

/** Which things to bring to a receptacle, in which order. */
function choices(
  house: House,
  state: HouseState,
  task: Task,
  candidates: readonly number[],
  target: number,
): readonly (readonly number[])[] {
  if (countOf(task) === 1) return candidates.map((thing) => [thing]);
  const there = candidates.filter((thing) => state.inside[thing]!.includes(target) && thing !== state.held);
  const others = candidates.filter((thing) => !there.includes(thing));
  if (there.length > 0) return others.map((thing) => [thing]);
  // the one in the hand goes first
  return others.flatMap((first) =>
    state.held >= 0 && candidates.includes(state.held) && first !== state.held
      ? []
      : others.filter((second) => second !== first).map((second) => [first, second]),
  );
}

/** Brings things to a receptacle, by way of a device if there is one. */
function bring(
  house: House,
  state: HouseState,
  task: Task,
  things: readonly number[],
  target: number,
  device: number | undefined,
): readonly Action[] | undefined {
  const draft = new Draft(house, state);
  const verb = treatmentOf[task.type];
  for (const thing of things) {
    if (!fetch(house, draft, thing)) return undefined;
    if (verb !== undefined && device !== undefined && !isReady(house, draft.state, task, thing)) {
      draft.goTo(device);
      draft.do({ verb, thing, receptacle: device });
    }
    draft.open(target);
    draft.do({ verb: 'put', thing, receptacle: target });
  }
  return isSolved(house, draft.state, task) ? draft.actions : undefined;
}

/** Takes a thing to a lamp and turns it on. */
function examine(
  house: House,
  state: HouseState,
  thing: number,
  lamp: number,
): readonly Action[] | undefined {
  const draft = new Draft(house, state);
  const place = state.inside[lamp]!.find((receptacle) => house.receptacles[receptacle]!.location >= 0);
  if (place === undefined || !fetch(house, draft, thing)) return undefined;
  draft.goTo(place);
  if (!hasMark(draft.state, lamp, 'toggled')) draft.do({ verb: 'use', thing: lamp });
  return draft.actions;
}

/** Gets a thing into the hand, and first puts down another one. */
function fetch(house: House, draft: Draft, thing: number): boolean {
  if (draft.state.held === thing) return true;
  const from = draft.state.inside[thing]!.find((place) => house.receptacles[place]!.location >= 0);
  if (from === undefined || !house.things[thing]!.traits.has('pickupable')) return false;
  if (draft.state.held >= 0 && !putDown(house, draft, from)) return false;
  draft.open(from);
  draft.do({ verb: 'take', thing, receptacle: from });
  return true;
}

/** Puts down what is held: here, at the next stop, or at the first receptacle that it fits. */
function putDown(house: House, draft: Draft, next: number): boolean {
  const { held } = draft.state;
  const { kind } = house.things[held]!;
  const here = receptaclesHere(house, draft.state);
  const place = [
    ...here.filter((one) => isAccessible(house, draft.state, one)),
    next,
    ...here,
    ...reachable(house),
  ].find((one) => house.fits.has(`${house.receptacles[one]!.kind} ${kind}`));
  if (place === undefined) return false;
  draft.open(place);
  draft.do({ verb: 'put', thing: held, receptacle: place });
  return true;
}

/** Whether a thing has been shown to the agent. */
export const isShown = (state: HouseState, thing: number): boolean =>
  thing === state.held || state.inside[thing]!.some((place) => state.seen[place] === true);

/**
 * Solves the task with what has been seen, and looks into one receptacle after the other for what has not.
 *
 * @returns undefined where that takes more than `most` actions
 */
export function planSearch(
  house: House,
  state: HouseState,
  task: Task,
  most: number,
): readonly Action[] | undefined {
  const draft = new Draft(house, state);
  while (draft.actions.length <= most) {
    const rest = planShortest(house, draft.state, task, (thing) => isShown(draft.state, thing));
    if (rest !== undefined) {
      const plan = [...draft.actions, ...rest];
      return plan.length <= most ? plan : undefined;
    }
    if (carryOne(house, draft, task)) continue;
    const next = nextToSearch(house, draft.state, task);
    if (next === undefined) return undefined;
    const before = draft.actions.length;
    draft.open(next);
    if (draft.actions.length === before) draft.do({ verb: 'examineReceptacle', receptacle: next });
  }
  return undefined;
}

/** Brings the first of two things to where both belong, while the second is not found. */
function carryOne(house: House, draft: Draft, task: Task): boolean {
  if (countOf(task) < 2) return false;
  const { state } = draft;
  const targets = reachable(house, task.target);
  const isThere = (thing: number): boolean => targets.some((target) => state.inside[thing]!.includes(target));
  const isWanted = (thing: number): boolean =>
    house.things[thing]?.kind === task.thing && isShown(state, thing) && !isThere(thing);
  const all = [...house.things.keys()];
  const used = targets.find((target) =>
    contentsOf(state, target).some(
      (thing) => house.things[thing]!.kind === task.thing && isShown(state, thing),
    ),
  );
  const thing = isWanted(state.held) ? state.held : all.find(isWanted);
  const target = used ?? targets[0];
  if (thing === undefined || target === undefined || !fetch(house, draft, thing)) return false;
  draft.open(target);
  draft.do({ verb: 'put', thing, receptacle: target });
  return true;
}

/** The first receptacle that was not looked into and may hold what is missing: this location first, then open ones. */
function nextToSearch(house: House, state: HouseState, task: Task): number | undefined {
  const unseen = reachable(house).filter((receptacle) => state.seen[receptacle] !== true);
  const rank = (receptacle: number): number => {
    const { kind, location } = house.receptacles[receptacle]!;
    const isLikely = house.fits.has(`${kind} ${task.thing}`) || task.type === 'look_at_obj_in_light';
    return (isLikely ? 0 : 4) + (location === state.at ? 0 : isAccessible(house, state, receptacle) ? 1 : 2);
  };
  return unseen.sort((a, b) => rank(a) - rank(b))[0];
}
