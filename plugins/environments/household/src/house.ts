/** @file A house: its receptacles and things in ALFWorld's order and with its names, and what is true at the start. */
import type { Fact } from './pddl.js';

/** What can be done with a thing. */
export const traits = ['pickupable', 'cleanable', 'heatable', 'coolable', 'sliceable', 'toggleable'] as const;
export type Trait = (typeof traits)[number];

export interface Receptacle {
  /** such as `cabinet 3` */
  readonly name: string;
  /** such as `cabinet` */
  readonly kind: string;
  /** place in `House.locations`; -1 where it cannot be reached */
  readonly location: number;
  readonly isOpenable: boolean;
}

export interface Thing {
  readonly name: string;
  readonly kind: string;
  readonly traits: ReadonlySet<Trait>;
  /** it can hold things, such as a mug */
  readonly isVessel: boolean;
  /** the things in it, which never change */
  readonly contents: readonly number[];
}

/** What ALFWorld has changed over time: how arriving and putting down are worded, and whether there is a help. */
export interface Wording {
  readonly arrival: 'receptacle' | 'location';
  readonly put: 'move' | 'put';
  readonly hasHelp: boolean;
}

/** The wording of ALFWorld today. */
export const today: Wording = { arrival: 'receptacle', put: 'move', hasHelp: true };

export interface House {
  readonly receptacles: readonly Receptacle[];
  readonly things: readonly Thing[];
  /** names such as `loc 4` */
  readonly locations: readonly string[];
  /** pairs of kinds, as `cabinet mug` */
  readonly fits: ReadonlySet<string>;
  readonly wording: Wording;
}

/** What has been done to a thing: a sum of these. */
export const marks = { clean: 1, hot: 2, cool: 4, sliced: 8, toggled: 16, on: 32 } as const;
export type Mark = keyof typeof marks;

/** What changes, as plain JSON; a state is never changed. */
export interface HouseState {
  readonly at: number;
  /** the thing in the hand, or -1 */
  readonly held: number;
  readonly opened: readonly boolean[];
  /** thing → receptacles; original games have things in two */
  readonly inside: readonly (readonly number[])[];
  /** thing → locations */
  readonly near: readonly (readonly number[])[];
  /** thing → receptacles that it was taken out of: the grammar calls it "next to" them */
  readonly left: readonly (readonly number[])[];
  /** thing → sum of marks */
  readonly marked: readonly number[];
  /** receptacles whose contents were shown; the rules do not depend on it */
  readonly seen: readonly boolean[];
}

export const hasMark = (state: HouseState, thing: number, mark: Mark): boolean =>
  ((state.marked[thing] ?? 0) & marks[mark]) !== 0;

export const isAccessible = ({ receptacles }: House, { opened }: HouseState, receptacle: number): boolean =>
  !receptacles[receptacle]!.isOpenable || opened[receptacle] === true;

/** Receptacles at the agent's location, in order. */
export function receptaclesHere({ receptacles }: House, { at }: HouseState): readonly number[] {
  const here: number[] = [];
  for (const [index, { location }] of receptacles.entries()) if (location === at) here.push(index);
  return here;
}

/** Things in a receptacle, in order. */
export function contentsOf({ inside }: HouseState, receptacle: number): readonly number[] {
  const things: number[] = [];
  for (const [index, places] of inside.entries()) if (places.includes(receptacle)) things.push(index);
  return things;
}

/**
 * The names that ALFWorld shows: the kind, and a number that counts down in the order of the identifiers. Kinds end where a
 * position begins (`_bar_`); basins belong to the kind.
 */
export function nameAll(ids: Iterable<string>): ReadonlyMap<string, string> {
  const kindOf = (id: string): string =>
    `${id.slice(0, id.indexOf('_bar_'))}${id.includes('basin') ? 'basin' : ''}`;
  const sorted = [...new Set(ids)].sort();
  const counts = new Map<string, number>();
  const positioned = sorted.filter((id) => id.includes('_bar_'));
  for (const id of positioned) counts.set(kindOf(id), (counts.get(kindOf(id)) ?? 0) + 1);
  const names = new Map(sorted.map((id) => [id, id]));
  for (const id of positioned) {
    const left = counts.get(kindOf(id)) ?? 0;
    names.set(id, `${kindOf(id)} ${left}`);
    counts.set(kindOf(id), left - 1);
  }
  return names;
}

/** `CabinetType` of PDDL, in lower case, as a kind. */
export const kindOfType = (type: string): string => type.replace(/type$/, '');

/** Facts by predicate. */
class FactTable {
  private readonly table = new Map<string, (readonly string[])[]>();

  constructor(facts: readonly Fact[]) {
    for (const { name, args } of facts) {
      const known = this.table.get(name);
      if (known === undefined) this.table.set(name, [args]);
      else known.push(args);
    }
  }

  rows(name: string): readonly (readonly string[])[] {
    return this.table.get(name) ?? [];
  }

  /** The first arguments. */
  ones(name: string): ReadonlySet<string> {
    return new Set(this.rows(name).map(([first = '']) => first));
  }

  /** First argument → second. */
  pairs(name: string): ReadonlyMap<string, string> {
    return new Map(this.rows(name).map(([first = '', second = '']) => [first, second]));
  }

  /** Places in a list of the second arguments that go with a first one. */
  linked(name: string, first: string, ids: readonly string[]): readonly number[] {
    return this.rows(name)
      .filter((row) => row[0] === first)
      .map(([, second = '']) => ids.indexOf(second))
      .filter((index) => index >= 0);
  }
}

/** Identifiers in ALFWorld's order. */
interface Ids {
  readonly receptacles: readonly string[];
  readonly things: readonly string[];
  readonly locations: readonly string[];
}

/** Builds a house and its start from facts of PDDL in lower case, as seen by one agent. */
export function buildHouse(
  facts: readonly Fact[],
  agent: string,
  wording: Wording,
): { readonly house: House; readonly start: HouseState } {
  const table = new FactTable(facts);
  const locations = ['atlocation', 'receptacleatlocation', 'objectatlocation'].flatMap((name) =>
    table.rows(name).map(([, location = '']) => location),
  );
  const ids: Ids = {
    receptacles: [...table.ones('receptacletype')].sort(),
    things: [...table.ones('objecttype')].sort(),
    locations: [...new Set(locations)].sort(),
  };
  const names = nameAll(facts.flatMap(({ name, args }) => (name === 'cancontain' ? [] : args)));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const receptacleKinds = table.pairs('receptacletype');
  const receptacleLocations = table.pairs('receptacleatlocation');
  const openable = table.ones('openable');
  const thingKinds = table.pairs('objecttype');
  const able = new Map(traits.map((trait) => [trait, table.ones(trait)]));
  const vessels = table.ones('isreceptacleobject');
  const holders = table.pairs('inreceptacleobject');
  const fits = table.rows('cancontain').map((kinds) => kinds.map(kindOfType).join(' '));
  const house: House = {
    receptacles: ids.receptacles.map((id) => ({
      name: nameOf(id),
      kind: kindOfType(receptacleKinds.get(id) ?? ''),
      location: ids.locations.indexOf(receptacleLocations.get(id) ?? ''),
      isOpenable: openable.has(id),
    })),
    things: ids.things.map((id) => ({
      name: nameOf(id),
      kind: kindOfType(thingKinds.get(id) ?? ''),
      traits: new Set(traits.filter((trait) => able.get(trait)?.has(id) === true)),
      isVessel: vessels.has(id),
      contents: [...ids.things.keys()].filter((inner) => holders.get(ids.things[inner]!) === id),
    })),
    locations: ids.locations.map(nameOf),
    fits: new Set(fits),
    wording,
  };
  return { house, start: startOf(table, ids, agent) };
}

/** Predicates of the marks. */
const markPredicates: Readonly<Record<Mark, string>> = {
  clean: 'isclean',
  hot: 'ishot',
  cool: 'iscool',
  sliced: 'issliced',
  toggled: 'istoggled',
  on: 'ison',
};

function startOf(table: FactTable, { receptacles, things, locations }: Ids, agent: string): HouseState {
  const opened = table.ones('opened');
  const marked = Object.entries(markPredicates).map(
    ([mark, name]) => [marks[mark as Mark], table.ones(name)] as const,
  );
  return {
    at: locations.indexOf(table.pairs('atlocation').get(agent) ?? ''),
    held: things.indexOf(table.pairs('holds').get(agent) ?? ''),
    opened: receptacles.map((id) => opened.has(id)),
    inside: things.map((id) => table.linked('inreceptacle', id, receptacles)),
    near: things.map((id) => table.linked('objectatlocation', id, locations)),
    left: things.map(() => []),
    marked: things.map((id) => marked.reduce((sum, [mark, ids]) => sum + (ids.has(id) ? mark : 0), 0)),
    seen: receptacles.map(() => false),
  };
}
