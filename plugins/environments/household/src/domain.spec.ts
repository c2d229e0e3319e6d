/** @file Against the domain itself: alfred.pddl, from the folder HOUSEHOLD_DATA, says what can be done and what it changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStream } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { act, type Action, actionsOf } from './commands.js';
import { generateLevel, type LevelOptions } from './generate.js';
import type { House, HouseState } from './house.js';
import { type Expression, type Fact, isList, readExpression, readTyped } from './pddl.js';
import { taskTypes } from './task.js';
import { thingKinds } from './things.js';

const folder = process.env['HOUSEHOLD_DATA'] ?? '';

type Facts = ReadonlySet<string>;
type Binding = ReadonlyMap<string, string>;

/** Objects of each type, by the predicates that name them. */
const columns: Readonly<Record<string, readonly string[]>> = {
  atlocation: ['agent', 'location'],
  receptacletype: ['receptacle', 'rtype'],
  receptacleatlocation: ['receptacle', 'location'],
  objecttype: ['object', 'otype'],
};

/** A domain of PDDL, interpreted word by word. */
class Domain {
  private readonly actions = new Map<
    string,
    { params: [string, string][]; when: Expression; effect: Expression }
  >();
  private readonly objects = new Map<string, Set<string>>();

  constructor(text: string, facts: readonly Fact[]) {
    for (const part of readExpression(text, 'alfred.pddl')) {
      if (!isList(part, ':action')) continue;
      const field = (name: string): Expression => part[part.indexOf(name) + 1] ?? [];
      this.actions.set(String(part[1]), {
        params: readTyped(field(':parameters') as readonly Expression[]).map(([name, type]) => [name, type]),
        when: field(':precondition'),
        effect: field(':effect'),
      });
    }
    for (const { name, args } of facts)
      for (const [at, type] of (columns[name] ?? []).entries())
        this.objects.set(type, (this.objects.get(type) ?? new Set()).add(args[at] ?? ''));
  }

  /** Every binding of an action that is possible, and the facts after it. */
  *apply(name: string, facts: Facts): Generator<{ readonly binding: Binding; readonly after: Facts }> {
    const { params, when, effect } = this.actions.get(name)!;
    for (const binding of this.bindings(params, new Map())) {
      if (!this.holds(when, binding, facts)) continue;
      const after = new Set(facts);
      const added: string[] = [];
      this.change(effect, binding, facts, after, added);
      for (const fact of added) after.add(fact);
      yield { binding, after };
    }
  }

  private *bindings(params: readonly (readonly [string, string])[], binding: Binding): Generator<Binding> {
    const [first, ...rest] = params;
    if (first === undefined) yield binding;
    else
      for (const value of this.objects.get(first[1]) ?? [])
        yield* this.bindings(rest, new Map([...binding, [first[0], value]]));
  }

  private holds(expression: Expression, binding: Binding, facts: Facts): boolean {
    if (typeof expression === 'string') throw new Error(expression);
    const [head, ...rest] = expression;
    if (head === undefined) return true;
    if (head === 'and') return rest.every((one) => this.holds(one, binding, facts));
    if (head === 'or') return rest.some((one) => this.holds(one, binding, facts));
    if (head === 'not') return !this.holds(rest[0]!, binding, facts);
    if (head === 'exists')
      return [...this.bindings(readTyped(rest[0] as readonly Expression[]), binding)].some((one) =>
        this.holds(rest[1]!, one, facts),
      );
    return facts.has(ground(expression, binding));
  }

  private change(
    effect: Expression,
    binding: Binding,
    before: Facts,
    after: Set<string>,
    added: string[],
  ): void {
    const [head, ...rest] = effect as readonly Expression[];
    if (head === 'and') for (const one of rest) this.change(one, binding, before, after, added);
    else if (head === 'when') {
      if (this.holds(rest[0]!, binding, before)) this.change(rest[1]!, binding, before, after, added);
    } else if (head === 'not') after.delete(ground(rest[0]!, binding));
    else if (head !== 'increase') added.push(ground(effect, binding));
  }
}

const ground = (atom: Expression, binding: Binding): string =>
  (atom as readonly string[]).map((word) => binding.get(word) ?? word).join(' ');

/** How the domain names what an agent does. */
const names: Readonly<Record<Action['verb'], string>> = {
  look: 'look',
  inventory: 'inventory',
  help: 'help',
  go: 'gotolocation',
  open: 'openobject',
  close: 'closeobject',
  take: 'pickupobject',
  put: 'putobject',
  clean: 'cleanobject',
  heat: 'heatobject',
  cool: 'coolobject',
  use: 'toggleobject',
  slice: 'sliceobject',
  examineReceptacle: 'examinereceptacle',
  examineThing: 'examineobject',
};

/** The arguments of an action in the domain's names. */
function argumentsOf(name: string, binding: Binding): string {
  const wanted: Readonly<Record<string, readonly string[]>> = {
    gotolocation: ['?r'],
    openobject: ['?r'],
    closeobject: ['?r'],
    examinereceptacle: ['?r'],
    examineobject: ['?o'],
    toggleobject: ['?o'],
    sliceobject: ['?co', '?ko'],
  };
  const variables = wanted[name] ?? (binding.has('?o') ? ['?o', '?r'] : []);
  return [name, ...variables.map((variable) => binding.get(variable) ?? '')].join(' ');
}

describe.skipIf(folder === '')('the domain alfred.pddl, in the folder HOUSEHOLD_DATA', () => {
  const text = readFileSync(
    join(folder === '' ? '.' : folder, folder === '' ? 'package.json' : 'alfred.pddl'),
    'utf8',
  );
  const options: LevelOptions = {
    tasks: taskTypes,
    rooms: ['kitchen', 'living room', 'bedroom', 'bathroom'],
    floorPlans: 'all',
    receptacles: 4,
    things: 4,
    copies: 2,
  };

  it.each(taskTypes)('allows the same actions and changes the same facts: %s', (type) => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 4; seed++) {
      const level = generateLevel(seed, { ...options, tasks: [type] }, 50);
      const domain = new Domain(text, level.facts);
      const { house } = level;
      const { receptacles, things } = idsOf(level.facts);
      const idOf = (action: Action): string =>
        [
          names[action.verb],
          ...('thing' in action ? [things[action.thing]] : []),
          ...('knife' in action ? [things[action.knife]] : []),
          ...('receptacle' in action ? [receptacles[action.receptacle]] : []),
        ].join(' ');
      let state = level.start;
      let facts: Facts = new Set(level.facts.map(({ name, args }) => [name, ...args].join(' ')));
      const stream = createStream(seed);
      for (let step = 0; step < 25; step++) {
        const possible = new Map<string, Facts>();
        for (const name of Object.values(names))
          for (const { binding, after } of domain.apply(name, facts))
            // going where one is changes nothing, and planners leave such actions out
            if (binding.get('?lstart') === undefined || binding.get('?lstart') !== binding.get('?lend'))
              possible.set(argumentsOf(name, binding), after);
        const ours = [...actionsOf(house, state)];
        expect(ours.map(idOf).sort()).toEqual([...possible.keys()].sort());
        const lively = ours.filter(({ verb }) => !['look', 'help', 'inventory'].includes(verb));
        const action = stream.pick(stream.int(3) === 0 ? lively.filter(({ verb }) => verb === 'go') : lively);
        seen.add(action.verb);
        facts = possible.get(idOf(action))!;
        state = act(house, state, action);
        expect(factsOf(house, state, level.facts)).toEqual(
          [...facts].filter((fact) => changing.test(fact)).sort(),
        );
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['go', 'take', 'put']));
  });

  it('has kinds of receptacles and things that fit as in ALFWorld’s game', () => {
    const game = JSON.parse(readFileSync(join(folder, 'game.tw-pddl'), 'utf8')) as { pddl_problem: string };
    const pairs = game.pddl_problem.toLowerCase().matchAll(/\(cancontain (\w+)type (\w+)type\)/g);
    const theirs = new Set([...pairs].map(([, place, thing]) => `${thing} ${place}`));
    const [places, kinds] = [1, 0].map((at) => new Set([...theirs].map((pair) => pair.split(' ')[at] ?? '')));
    const ours = [...thingKinds].flatMap(([kind, kindOf]) =>
      [...kindOf.places]
        .filter((place) => places!.has(place) && kinds!.has(kind))
        .map((place) => `${kind} ${place}`),
    );
    expect(ours.sort()).toEqual([...theirs].sort());
  });
});

/** Identifiers in the order of a house. */
function idsOf(
  facts: readonly Fact[],
): Readonly<Record<'receptacles' | 'things' | 'locations', readonly string[]>> {
  const sorted = (name: string, at: number): readonly string[] =>
    [...new Set(facts.filter((fact) => fact.name === name).map(({ args }) => args[at] ?? ''))].sort();
  return {
    receptacles: sorted('receptacletype', 0),
    things: sorted('objecttype', 0),
    locations: [...new Set([...sorted('atlocation', 1), ...sorted('receptacleatlocation', 1)])].sort(),
  };
}

/** Facts that actions change; nothing depends on `checked`. */
const changing =
  /^(?:atlocation|opened|inreceptacle|objectatlocation|holds|holdsany|isclean|ishot|iscool|issliced|istoggled|ison) /;

/** A state as facts of the domain. */
function factsOf({ things }: House, state: HouseState, given: readonly Fact[]): readonly string[] {
  const ids = idsOf(given);
  const words = ['isclean', 'ishot', 'iscool', 'issliced', 'istoggled', 'ison'];
  const facts = [`atlocation agent1 ${ids.locations[state.at]}`];
  if (state.held >= 0) facts.push(`holds agent1 ${ids.things[state.held]}`, 'holdsany agent1');
  for (const [index, isOpen] of state.opened.entries())
    if (isOpen) facts.push(`opened ${ids.receptacles[index]}`);
  for (const index of things.keys()) {
    const id = ids.things[index]!;
    for (const place of state.inside[index]!) facts.push(`inreceptacle ${id} ${ids.receptacles[place]}`);
    for (const place of state.near[index]!) facts.push(`objectatlocation ${id} ${ids.locations[place]}`);
    for (const [bit, word] of words.entries())
      if (((state.marked[index]! >> bit) & 1) === 1) facts.push(`${word} ${id}`);
  }
  return facts.sort();
}
