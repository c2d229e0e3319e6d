import { testEnvironment } from '@espalier/plugin-kit/testing';
import { splitOfSeed } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { act, type Action, actionsOf, write } from './commands.js';
import { floorPlans, unseenRooms } from './floor-plans.js';
import { fewestCommands, generateLevel, type LevelOptions } from './generate.js';
import type { House, HouseState } from './house.js';
import household from './index.js';
import { planSearch, planShortest } from './planner.js';
import { isSolved, type Task, taskTypes } from './task.js';

testEnvironment(household, { oracleSolves: 1 });
testEnvironment(household, {
  params: {
    games: { source: 'generated', rooms: ['kitchen'], receptacles: 5, things: 4 },
    version: 'r1',
    task: 'always',
    maxSteps: 20,
  },
  oracleSolves: 1,
});

const all: LevelOptions = {
  tasks: taskTypes,
  rooms: ['kitchen', 'living room', 'bedroom', 'bathroom'],
  floorPlans: 'by-split',
  copies: 3,
};
const small: LevelOptions = { ...all, receptacles: 4, things: 3, copies: 2 };

describe('levels', () => {
  it.each(taskTypes)('of type %s are solved by either plan, and by no action', (type) => {
    for (let seed = 0; seed < 40; seed++) {
      const { house, start, task } = generateLevel(seed, { ...all, tasks: [type] }, 50);
      expect(task.type).toBe(type);
      expect(isSolved(house, start, task)).toBe(false);
      for (const plan of [planShortest(house, start, task), planSearch(house, start, task, 500)]) {
        expect(plan?.length).toBeGreaterThan(0);
        expect(follow(house, start, plan ?? [], task)).toBe(true);
      }
    }
  });

  it.each(taskTypes)('of type %s: breadth-first search finds nothing shorter than the planner', (type) => {
    for (let seed = 0; seed < 6; seed++) {
      const { house, start, task } = generateLevel(seed, { ...small, tasks: [type] }, 50);
      expect(planShortest(house, start, task)).toHaveLength(
        planByBreadth(house, start, task, 200_000)!.length,
      );
    }
  });

  it('of one split are in no other, however small they are', () => {
    const tiny: LevelOptions = {
      ...small,
      receptacles: 3,
      things: 1,
      tasks: ['pick_and_place_simple'],
      rooms: ['kitchen'],
    };
    const met = (split: 'train' | 'validation' | 'test', options: LevelOptions): ReadonlySet<string> =>
      new Set(
        Array.from({ length: 400 }, (_, seed) => {
          const { house, start, task } = generateLevel(seed, options, 50, split);
          return JSON.stringify([
            task,
            house.receptacles,
            house.things.map(({ name }) => name),
            start.inside,
          ]);
        }),
      );
    for (const floorPlan of ['by-split', 'all'] as const) {
      const options = { ...tiny, floorPlans: floorPlan };
      const [train, validation, test] = [
        met('train', options),
        met('validation', options),
        met('test', options),
      ];
      expect(train.size).toBeLessThan(400);
      expect([...validation, ...test].filter((level) => train.has(level))).toEqual([]);
      expect([...validation].filter((level) => test.has(level))).toEqual([]);
    }
  });

  it('of tests are in rooms of their own', () => {
    const kitchens = floorPlans.get('kitchen')!;
    const roomOf = (split: 'train' | 'test', seed: number): readonly number[] => {
      const { house } = generateLevel(seed, { ...all, rooms: ['kitchen'] }, 50, split);
      const kinds = house.receptacles.map(({ kind }) => kind).sort();
      return [...kitchens.keys()].filter(
        (room) => JSON.stringify([...kitchens[room]!.receptacles].sort()) === JSON.stringify(kinds),
      );
    };
    for (let seed = 0; seed < 60; seed++) {
      expect(roomOf('test', seed).some((room) => room < unseenRooms)).toBe(true);
      expect(roomOf('train', seed).some((room) => room >= unseenRooms)).toBe(true);
    }
    expect(floorPlans.get('bathroom')).toHaveLength(30);
  });

  it.each(taskTypes)('of type %s take at least the fewest commands, and some no more', (type) => {
    const lengths = Array.from({ length: 150 }, (_, seed) => {
      const { house, start, task } = generateLevel(seed, { ...small, receptacles: 10, tasks: [type] }, 50);
      return planShortest(house, start, task)!.length;
    });
    expect(Math.min(...lengths)).toBe(fewestCommands[type]);
    const tight = generateLevel(1, { ...all, tasks: [type] }, fewestCommands[type]);
    expect(planShortest(tight.house, tight.start, tight.task)).toHaveLength(fewestCommands[type]);
  });

  it('that cannot be made are reported', () => {
    const heat: LevelOptions = { ...small, receptacles: 2, tasks: ['pick_heat_then_place_in_recep'] };
    expect(() => generateLevel(1, heat, 50, 'train')).toThrow(
      'reset: found no level that can be solved in 50 actions; allow more `receptacles`',
    );
    expect(() => generateLevel(1, small, 2, 'train')).toThrow('in 2 actions');
  });

  it('follow the split of their seed', () => {
    expect(splitOfSeed(123_456).split).toBe('validation');
    expect(generateLevel(123_456, small, 50)).toEqual(generateLevel(123_456, small, 50, 'validation'));
    expect(generateLevel(123_456, small, 50)).not.toEqual(generateLevel(123_456, small, 50, 'train'));
  });
});

describe('an agent that searches', () => {
  it('looks only where it has not looked, and takes only what it has seen', () => {
    for (let seed = 0; seed < 60; seed++) {
      const { house, start, task } = generateLevel(seed, all, 50);
      let state = start;
      for (const action of planSearch(house, start, task, 500)!) {
        if (action.verb === 'take')
          expect(state.inside[action.thing]!.some((place) => state.seen[place] === true)).toBe(true);
        if (action.verb === 'examineReceptacle') expect(state.seen[action.receptacle]).toBe(false);
        state = act(house, state, action);
      }
    }
  });

  it('solves the task from wherever random actions have led', async () => {
    for (let seed = 0; seed < 30; seed++) {
      const instance = household.create(household.params.parse({ maxSteps: 200 }));
      await instance.reset({ state: seed, noise: 0 });
      for (let step = 0; step < 20; step++) await instance.step(instance.sampleAction!(seed * 100 + step));
      let success = false;
      for (const command of instance.oracle!()) ({ success } = await instance.step(command));
      expect(success).toBe(true);
    }
  });

  it('explains what it does by what it has seen', async () => {
    const instance = household.create(household.params.parse({}));
    await instance.reset({ state: 3, noise: 0 });
    const said: string[] = [];
    for (const command of instance.oracle!()) {
      said.push(`${command}: ${instance.explain!(instance.oracle!())}`);
      await instance.step(command);
    }
    expect(said).toMatchInlineSnapshot(`
      [
        "go to countertop 3: I have not seen an egg. I try the countertop 3.",
        "go to countertop 2: I have not seen an egg. I try the countertop 2.",
        "go to countertop 1: I have not seen an egg. I try the countertop 1.",
        "go to garbagecan 1: I have not seen an egg. I try the garbagecan 1.",
        "take egg 2 from garbagecan 1: The egg 2 is what I need.",
        "go to fridge 1: I cool the egg 2 with the fridge 1.",
        "cool egg 2 with fridge 1: The fridge 1 can cool the egg 2.",
        "go to sinkbasin 1: I bring the egg 2 to the sinkbasin 1.",
        "move egg 2 to sinkbasin 1: The egg 2 belongs here.",
      ]
    `);
  });
});

describe('rewards', () => {
  const play = async (given: Record<string, unknown>, ...commands: string[]) => {
    const instance = household.create(household.params.parse(given));
    await instance.reset({ state: 5, noise: 0 });
    const results = [];
    for (const command of commands.length > 0 ? commands : instance.oracle!())
      results.push(await instance.step(command));
    return { instance, results };
  };

  it('are 10 for success in RAGEN-2', async () => {
    const { results, instance } = await play({});
    expect(results.at(-1)).toMatchObject({ reward: 10, done: true, success: true });
    expect(results.slice(0, -1).every(({ reward, done }) => reward === 0 && !done)).toBe(true);
    expect(await instance.step('look')).toMatchObject({ reward: 0, done: true, success: true, valid: false });
  });

  it('are 0.1 for each well-formed command and 2.1 for the last in RAGEN', async () => {
    const { results } = await play({ version: 'r1', commands: 'hidden' });
    expect(results.at(-1)).toMatchObject({ reward: 2.1, success: true });
    expect(results[0]).toMatchObject({ reward: 0.1, done: false });
    expect(results[0]!.observation.text).not.toContain('Admissible');
    const { results: others } = await play(
      { version: 'r1', commands: 'hidden' },
      'go to nowhere',
      'dance',
      'help',
      'take x',
    );
    expect(others.map(({ reward, valid, observation }) => [reward, valid, observation.text])).toEqual([
      [0.1, true, 'Nothing happens.'],
      [0, false, 'Invalid action format: dance'],
      [0, false, 'Invalid action format: help'],
      [0, false, 'Invalid action format: take x'],
    ]);
  });

  it('end with the steps, without success', async () => {
    const { results } = await play({ maxSteps: 10 }, ...Array.from({ length: 10 }, () => 'look'));
    expect(results.map(({ done }) => done)).toEqual([...Array.from({ length: 9 }, () => false), true]);
    expect(results.at(-1)).toMatchObject({ reward: 0, success: false });
  });

  it('are for no command that does nothing', async () => {
    const { results } = await play(
      {},
      '',
      'look ',
      'LOOK',
      '__proto__',
      'constructor',
      'go to\ncabinet 1',
      'x'.repeat(100_000),
    );
    expect(results.map(({ valid, effective }) => [valid, effective])).toEqual([
      [false, false],
      [true, true],
      ...Array.from({ length: 5 }, () => [false, false]),
    ]);
    expect(results[0]!.observation.text).toMatch(/^Nothing happens\.\n\nAdmissible actions: \[go to /);
  });
});

describe('options', () => {
  const finding = (given: unknown): string =>
    household.params.safeParse(given).error?.issues[0]?.message ?? '';

  it('without a level are refused', () => {
    const tasks = ['pick_heat_then_place_in_recep'];
    expect(finding({ games: { source: 'generated', tasks, rooms: ['bedroom'] } })).toContain(
      'heating and cooling need a kitchen',
    );
    expect(finding({ games: { source: 'files' } })).toContain('set the path');
    expect(finding({ maxSteps: 7 })).toBe(
      'pick_two_obj_and_place takes at least 8 commands; allow as many, or leave it out of `tasks`',
    );
    const simple = { source: 'generated', tasks: ['pick_and_place_simple'] };
    expect(finding({ games: simple, maxSteps: 3 })).toContain('takes at least 4 commands');
    expect(finding({ games: simple, maxSteps: 4 })).toBe('');
    expect(finding({ games: { source: 'files', train: 'games' }, maxSteps: 1 })).toBe('');
    expect(finding({ games: { source: 'generated', rooms: ['bathroom'], receptacles: 2 } })).toBe(
      '2 are too few for pick_clean_then_place_in_recep; allow at least 3, or leave these out of `tasks`',
    );
    expect(finding({ games: { ...simple, receptacles: 2 } })).toBe('');
  });
});

const follow = (house: House, start: HouseState, plan: readonly Action[], task: Task): boolean => {
  let state = start;
  for (const action of plan) {
    expect([...actionsOf(house, state)].map((one) => write(house, one))).toContain(write(house, action));
    state = act(house, state, action);
  }
  return isSolved(house, state, task);
};

/** Plans until the goal by breadth-first search, in at most `most` states; for checking the other planner. */
function planByBreadth(
  house: House,
  state: HouseState,
  task: Task,
  most: number,
): readonly Action[] | undefined {
  const keyOf = ({ at, held, opened, inside, marked }: HouseState): string =>
    JSON.stringify([at, held, opened, inside, marked]);
  const seen = new Set([keyOf(state)]);
  let frontier: { readonly state: HouseState; readonly actions: readonly Action[] }[] = [
    { state, actions: [] },
  ];
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const one of frontier) {
      if (isSolved(house, one.state, task)) return one.actions;
      for (const action of actionsOf(house, one.state)) {
        const after = act(house, one.state, action);
        const key = keyOf(after);
        if (seen.has(key)) continue;
        if (seen.size >= most) return undefined;
        seen.add(key);
        next.push({ state: after, actions: [...one.actions, action] });
      }
    }
    frontier = next;
  }
  return undefined;
}
