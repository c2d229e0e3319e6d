/** @file ALFWorld's six types of tasks: what each wants, how it is worded, and how its goal is read from PDDL. */
import { markOf, type Treatment } from './commands.js';
import { hasMark, type House, type HouseState, kindOfType } from './house.js';
import { type Expression, isList } from './pddl.js';

/** Under ALFWorld's names, in its order. */
export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const;
export type TaskType = (typeof taskTypes)[number];

export interface Task {
  readonly type: TaskType;
  /** kind of thing, such as `mug` */
  readonly thing: string;
  /** kind of receptacle that it goes to, or kind of lamp */
  readonly target: string;
}

/** What a type of task does to the thing on its way. */
export const treatmentOf: Readonly<Partial<Record<TaskType, Treatment>>> = {
  pick_clean_then_place_in_recep: 'clean',
  pick_heat_then_place_in_recep: 'heat',
  pick_cool_then_place_in_recep: 'cool',
};

/** How many things a task wants in one receptacle. */
export const countOf = ({ type }: Task): number => (type === 'pick_two_obj_and_place' ? 2 : 1);

/** ALFWorld's two sentences for each type. */
export const taskSentences: Readonly<
  Record<TaskType, (thing: string, target: string) => readonly [string, string]>
> = {
  pick_and_place_simple: (thing, target) => [`put a ${thing} in ${target}`, `put some ${thing} on ${target}`],
  look_at_obj_in_light: (thing, target) => [
    `look at ${thing} under the ${target}`,
    `examine the ${thing} with the ${target}`,
  ],
  pick_clean_then_place_in_recep: (thing, target) => [
    `put a clean ${thing} in ${target}`,
    `clean some ${thing} and put it in ${target}`,
  ],
  pick_heat_then_place_in_recep: (thing, target) => [
    `put a hot ${thing} in ${target}`,
    `heat some ${thing} and put it in ${target}`,
  ],
  pick_cool_then_place_in_recep: (thing, target) => [
    `put a cool ${thing} in ${target}`,
    `cool some ${thing} and put it in ${target}`,
  ],
  pick_two_obj_and_place: (thing, target) => [
    `put two ${thing} in ${target}`,
    `find two ${thing} and put them in ${target}`,
  ],
};

/** Whether a thing is of the wanted kind and was cleaned, heated or cooled where the task wants that. */
export function isReady(house: House, state: HouseState, task: Task, thing: number): boolean {
  const treatment = treatmentOf[task.type];
  return (
    house.things[thing]!.kind === task.thing &&
    (treatment === undefined || hasMark(state, thing, markOf[treatment]))
  );
}

/** Whether the goal holds. */
export function isSolved(house: House, state: HouseState, task: Task): boolean {
  if (task.type === 'look_at_obj_in_light')
    return (
      state.held >= 0 &&
      house.things[state.held]!.kind === task.thing &&
      house.things.some(
        ({ kind }, lamp) =>
          kind === task.target &&
          hasMark(state, lamp, 'toggled') &&
          state.inside[lamp]!.some((place) => house.receptacles[place]!.location === state.at),
      )
    );
  const counts = new Map<number, number>();
  for (const thing of house.things.keys()) {
    if (!isReady(house, state, task, thing)) continue;
    for (const place of state.inside[thing]!)
      if (house.receptacles[place]!.kind === task.target) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count >= countOf(task));
}

/** Atoms of the six goals; others, such as `issliced`, belong to tasks that ALFWorld leaves out. */
const known = new Set(
  'objecttype receptacletype inreceptacle cleanable heatable coolable isclean ishot iscool holds toggleable istoggled receptacleatlocation objectatlocation atlocation ='.split(
    ' ',
  ),
);

/** Reads a goal. @returns a finding where it is none of the six */
export function readGoal(goal: Expression): Task | string {
  const atoms: (readonly string[])[] = [];
  const strange = collect(goal, atoms);
  if (strange !== undefined) return `the goal has (${strange} …), which is in none of the six types of tasks`;
  const second = (name: string): readonly string[] => [
    ...new Set(atoms.filter(([head]) => head === name).map(([, , kind = '']) => kindOfType(kind))),
  ];
  const things = second('objecttype');
  const targets = second('receptacletype');
  const has = (name: string): boolean => atoms.some(([head]) => head === name);
  if (has('istoggled')) {
    const lamp = atoms.find(([head]) => head === 'istoggled')?.[1];
    const kindOf = (isLamp: boolean): string =>
      kindOfType(
        atoms.find(([head, name]) => head === 'objecttype' && (name === lamp) === isLamp)?.[2] ?? '',
      );
    return kindOf(true) === '' || kindOf(false) === '' || !has('holds')
      ? 'the goal turns something on, but does not say what is held and what is on'
      : { type: 'look_at_obj_in_light', thing: kindOf(false), target: kindOf(true) };
  }
  const [thing] = things;
  const [target] = targets;
  if (
    thing === undefined ||
    target === undefined ||
    things.length > 1 ||
    targets.length > 1 ||
    !has('inreceptacle')
  )
    return 'the goal does not put one kind of thing into one kind of receptacle';
  const type: TaskType = has('=')
    ? 'pick_two_obj_and_place'
    : has('isclean')
      ? 'pick_clean_then_place_in_recep'
      : has('ishot')
        ? 'pick_heat_then_place_in_recep'
        : has('iscool')
          ? 'pick_cool_then_place_in_recep'
          : 'pick_and_place_simple';
  return { type, thing, target };
}

/** Collects the atoms under `and`, `exists` and `not =`. @returns the first that is unknown */
function collect(expression: Expression, atoms: (readonly string[])[]): string | undefined {
  if (typeof expression === 'string') return expression;
  const [head, ...rest] = expression;
  if (head === 'and') {
    for (const part of rest) {
      const strange = collect(part, atoms);
      if (strange !== undefined) return strange;
    }
    return undefined;
  }
  if (head === 'exists') return collect(rest[1] ?? 'exists', atoms);
  if (head === 'not') return isList(rest[0], '=') ? collect(rest[0], atoms) : 'not';
  if (typeof head !== 'string' || !known.has(head)) return typeof head === 'string' ? head : '';
  atoms.push([head, ...rest.map((word) => (typeof word === 'string' ? word : ''))]);
  return undefined;
}
