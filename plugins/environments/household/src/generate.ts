/**
 * @file Levels by seed: a room of a floor plan, things where they may lie, and a task that a planner can solve. Levels are sorted into
 * splits by what the agent meets, so that no split has a level of another, however small the levels are.
 */
import { createHash } from 'node:crypto';
import { AppError, createStream, type RandomStream, splitOfSeed } from '@espalier/plugin-kit';
import { devices } from './commands.js';
import { type FloorPlan, floorPlans, type RoomKind, unseenRooms } from './floor-plans.js';
import type { Level } from './game-file.js';
import { buildHouse, today } from './house.js';
import type { Fact } from './pddl.js';
import { planShortest } from './planner.js';
import { countOf, isSolved, type Task, taskSentences, type TaskType, treatmentOf } from './task.js';
import { openableKinds, thingKinds } from './things.js';

export type Split = 'train' | 'validation' | 'test';

export interface LevelOptions {
  readonly tasks: readonly TaskType[];
  readonly rooms: readonly RoomKind[];
  readonly floorPlans: 'by-split' | 'all';
  /** most receptacles; all of the floor plan if absent */
  readonly receptacles?: number | undefined;
  /** most things; all of the floor plan if absent */
  readonly things?: number | undefined;
  /** most things of a kind */
  readonly copies: number;
}

/** Rooms that ALFRED has each type of task in. */
const roomsOf: Readonly<Record<TaskType, readonly RoomKind[]>> = {
  pick_and_place_simple: ['kitchen', 'living room', 'bedroom', 'bathroom'],
  look_at_obj_in_light: ['living room', 'bedroom'],
  pick_clean_then_place_in_recep: ['kitchen', 'bathroom'],
  pick_heat_then_place_in_recep: ['kitchen'],
  pick_cool_then_place_in_recep: ['kitchen'],
  pick_two_obj_and_place: ['kitchen', 'living room', 'bedroom', 'bathroom'],
};

/** Types of tasks that some of the rooms allow. */
export const playableTasks = (
  tasks: readonly TaskType[],
  rooms: readonly RoomKind[],
): readonly (readonly [TaskType, readonly RoomKind[]])[] =>
  tasks
    .map((type) => [type, roomsOf[type].filter((room) => rooms.includes(room))] as const)
    .filter(([, allowed]) => allowed.length > 0);

/** Fewest commands that any level of each type takes: go, take, and use, put or treat. */
export const fewestCommands: Readonly<Record<TaskType, number>> = {
  pick_and_place_simple: 4,
  look_at_obj_in_light: 3,
  // may lie in the sink, which has no door
  pick_clean_then_place_in_recep: 5,
  pick_heat_then_place_in_recep: 6,
  pick_cool_then_place_in_recep: 6,
  pick_two_obj_and_place: 8,
};

/** Fewest receptacles: where the thing is, where it goes, and a device. */
export const fewestReceptacles = (type: TaskType): number => (treatmentOf[type] === undefined ? 2 : 3);

/** Most levels that are drawn for a seed, and most of them that are planned, which takes longer. */
const maxDraws = 20_000;
const maxPlans = 500;

/**
 * The level of a seed, or of a seed as if it belonged to a split.
 *
 * @param most largest number of actions that a solution may take
 * @throws plugin.failed where the options allow almost no level
 */
export function generateLevel(
  seed: number,
  options: LevelOptions,
  most: number,
  split: Split = splitOfSeed(seed).split,
): Level & { readonly facts: readonly Fact[] } {
  const stream = createStream(seed);
  const playable = playableTasks(options.tasks, options.rooms);
  for (let draws = 0, plans = 0; draws < maxDraws && plans < maxPlans; draws++) {
    const [type, rooms] = stream.pick(playable);
    const sketch = drawSketch(stream, type, stream.pick(drawablePlans(rooms, options, split)), options);
    const variant = stream.int(2);
    if (sketch === undefined || splitOfLevel(sketch) !== split) continue;
    const facts = factsOf(sketch);
    const { house, start } = buildHouse(facts, 'agent1', today);
    const { task } = sketch;
    if (isSolved(house, start, task)) continue;
    const plan = planShortest(house, start, task);
    plans++;
    if (plan === undefined || plan.length > most) continue;
    const sentence = taskSentences[task.type](task.thing, task.target)[variant] ?? '';
    return { house, start, task, sentence: `Your task is to: ${sentence}.`, facts };
  }
  throw new AppError(
    'plugin.failed',
    `reset: found no level that can be solved in ${most} actions; allow more \`receptacles\`, \`things\`, \`tasks\` or \`maxSteps\``,
  );
}

/** A level before it is a house: kinds only, and where each thing is. */
interface Sketch {
  readonly task: Task;
  /** sorted */
  readonly receptacles: readonly string[];
  /** kind and place in `receptacles` */
  readonly things: readonly (readonly [kind: string, place: number])[];
}

function drawablePlans(
  rooms: readonly RoomKind[],
  { floorPlans: which }: LevelOptions,
  split: Split,
): readonly FloorPlan[] {
  return rooms.flatMap((room) => {
    const plans = floorPlans.get(room) ?? [];
    if (which === 'all') return plans;
    return split === 'test' ? plans.slice(0, unseenRooms) : plans.slice(unseenRooms);
  });
}

/** Six of eight levels are for training, so that the others are found soon. */
function splitOfLevel(sketch: Sketch): Split {
  const [byte = 0] = createHash('sha256').update(JSON.stringify(sketch)).digest();
  return byte % 8 === 0 ? 'validation' : byte % 8 === 1 ? 'test' : 'train';
}

function drawSketch(
  stream: RandomStream,
  type: TaskType,
  plan: FloorPlan,
  options: LevelOptions,
): Sketch | undefined {
  const task = drawTask(stream, type, plan);
  if (task === undefined) return undefined;
  const receptacles = drawReceptacles(stream, task, plan, options);
  if (receptacles === undefined) return undefined;
  const things = drawThings(stream, task, plan, receptacles, options);
  return things === undefined ? undefined : { task, receptacles, things };
}

/** A kind of thing, and where it has to go. */
function drawTask(stream: RandomStream, type: TaskType, plan: FloorPlan): Task | undefined {
  const treatment = treatmentOf[type];
  const trait = treatment === undefined ? 'pickupable' : (`${treatment}able` as const);
  const kinds = plan.things.filter((kind) => thingKinds.get(kind)?.traits.includes(trait) === true);
  if (kinds.length === 0) return undefined;
  const thing = stream.pick(kinds);
  if (type === 'look_at_obj_in_light')
    return plan.things.includes('desklamp') ? { type, thing, target: 'desklamp' } : undefined;
  const device = treatment === undefined ? undefined : devices[treatment];
  const targets = [...new Set(plan.receptacles)].filter(
    (kind) => kind !== device && thingKinds.get(thing)?.places.has(kind) === true,
  );
  if (targets.length === 0 || (device !== undefined && !plan.receptacles.includes(device))) return undefined;
  return { type, thing, target: stream.pick(targets) };
}

/** The receptacles that the task needs, and others up to the limit. */
function drawReceptacles(
  stream: RandomStream,
  task: Task,
  plan: FloorPlan,
  { receptacles: most = plan.receptacles.length }: LevelOptions,
): readonly string[] | undefined {
  const rest = [...plan.receptacles];
  const chosen: string[] = [];
  const choose = (isFit: (kind: string) => boolean): boolean => {
    const fitting = [...rest.keys()].filter((index) => isFit(rest[index]!));
    if (fitting.length === 0) return false;
    chosen.push(...rest.splice(stream.pick(fitting), 1));
    return true;
  };
  const places = thingKinds.get(task.thing)?.places ?? new Set();
  const treatment = treatmentOf[task.type];
  const isLit = task.type === 'look_at_obj_in_light';
  const hasNeeded =
    choose((kind) =>
      isLit ? thingKinds.get('desklamp')?.places.has(kind) === true : kind === task.target,
    ) &&
    (treatment === undefined || choose((kind) => kind === devices[treatment])) &&
    // where the thing is at first; for two, both may be there
    choose((kind) => places.has(kind) && (isLit || kind !== task.target));
  if (!hasNeeded || chosen.length > most) return undefined;
  while (chosen.length < most && rest.length > 0) choose(() => true);
  return chosen.sort();
}

/** The wanted things, away from where they have to go, and others up to the limit. */
function drawThings(
  stream: RandomStream,
  task: Task,
  plan: FloorPlan,
  receptacles: readonly string[],
  { things: most = Infinity, copies }: LevelOptions,
): Sketch['things'] | undefined {
  const things: (readonly [string, number])[] = [];
  const add = (kind: string, isAllowed: (place: string) => boolean = () => true): boolean => {
    const places = [...receptacles.keys()].filter(
      (index) =>
        thingKinds.get(kind)?.places.has(receptacles[index]!) === true && isAllowed(receptacles[index]!),
    );
    if (places.length === 0) return false;
    things.push([kind, stream.pick(places)]);
    return true;
  };
  const isLit = task.type === 'look_at_obj_in_light';
  if (isLit && !add('desklamp')) return undefined;
  const isAway = (place: string): boolean => isLit || place !== task.target;
  const wanted = countOf(task) + stream.int(Math.max(1, copies - countOf(task) + 1));
  for (let copy = 0; copy < wanted; copy++)
    if (things.length < Math.max(most, countOf(task) + (isLit ? 1 : 0)) && !add(task.thing, isAway))
      return undefined;
  const others = plan.things.filter((kind) => kind !== task.thing && kind !== 'desklamp');
  while (things.length < most && others.length > 0) {
    const [kind = ''] = others.splice(stream.int(others.length), 1);
    for (let copy = stream.int(copies) + 1; copy > 0 && things.length < most; copy--) add(kind);
  }
  return things.sort(([a, placeA], [b, placeB]) => (a < b ? -1 : a > b ? 1 : placeA - placeB));
}

/** An identifier that ALFWorld names as it should; three digits, so that ten comes after nine. */
const idOf = (kind: string, number: number): string => {
  const digits = String(number).padStart(3, '0');
  return kind.endsWith('basin')
    ? `${kind.replace(/basin$/, '')}_bar_${digits}_bar_${kind}`
    : `${kind}_bar_${digits}`;
};

/** A level as facts of ALFWorld's domain; every receptacle has a location of its own. */
function factsOf({ receptacles, things }: Sketch): readonly Fact[] {
  const facts: Fact[] = [{ name: 'atlocation', args: ['agent1', 'loc_bar_000'] }];
  const add = (name: string, ...args: string[]): void => {
    facts.push({ name, args });
  };
  const places = receptacles.map((kind, index) => {
    const id = idOf(kind, index);
    const location = `loc_bar_${String(index + 1).padStart(3, '0')}`;
    add('receptacletype', id, `${kind}type`);
    add('receptacleatlocation', id, location);
    if (openableKinds.has(kind)) add('openable', id);
    return { id, location };
  });
  for (const [index, [kind, place]] of things.entries()) {
    const id = idOf(kind, index);
    const { traits = [], isVessel = false } = thingKinds.get(kind) ?? {};
    add('objecttype', id, `${kind}type`);
    add('inreceptacle', id, places[place]!.id);
    add('objectatlocation', id, places[place]!.location);
    if (isVessel) add('isreceptacleobject', id);
    for (const trait of traits) add(trait, id);
  }
  const present = new Set(receptacles);
  for (const kind of new Set(things.map(([thing]) => thing)))
    for (const place of thingKinds.get(kind)?.places ?? [])
      if (present.has(place)) add('cancontain', `${place}type`, `${kind}type`);
  return facts;
}
