/**
 * @file Against TextWorld, which has played generated levels and ALFWorld's own game (test/golden/README.md says how). The game and the
 * domain are read from the folder that HOUSEHOLD_DATA names.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { act, actionsOf, write } from './commands.js';
import { type Level, readGame } from './game-file.js';
import { buildHouse, today } from './house.js';
import { planShortest } from './planner.js';
import { isSolved, type Task } from './task.js';
import { answer, introduce } from './texts.js';

interface Walk {
  readonly intro: string;
  readonly commands: readonly string[];
  readonly steps: readonly (readonly [
    command: string,
    text: string,
    added: string[],
    removed: string[],
    done: boolean,
  ])[];
}

interface Transcripts {
  readonly levels: readonly {
    readonly task: Task;
    readonly sentence: string;
    readonly facts: readonly (readonly [string, ...string[]])[];
    readonly walks: readonly Walk[];
  }[];
  readonly alfworld: readonly Walk[];
  readonly today: readonly Walk[];
}

const golden = JSON.parse(
  readFileSync(join(goldenFolder('household'), 'transcripts.json'), 'utf8'),
) as Transcripts;
const folder = process.env['HOUSEHOLD_DATA'] ?? '';

/** The same walk in our words. */
function walk({ house, start, task, sentence }: Level, { steps }: Walk): Walk {
  let state = start;
  const list = (): readonly string[] =>
    [...actionsOf(house, state)].map((action) => write(house, action)).sort();
  const commands = list();
  let before = commands;
  const played = steps.map(([command]): Walk['steps'][number] => {
    const action = [...actionsOf(house, state)].find((one) => write(house, one) === command.trim());
    if (action !== undefined) state = act(house, state, action);
    const now = list();
    const result: Walk['steps'][number] = [
      command,
      action === undefined ? 'Nothing happens.' : answer(house, state, action),
      now.filter((one) => !before.includes(one)),
      before.filter((one) => !now.includes(one)),
      isSolved(house, state, task),
    ];
    before = now;
    return result;
  });
  return { intro: introduce(house, start, sentence), commands, steps: played };
}

describe('levels as TextWorld plays them', () => {
  it.each(golden.levels.map((level, index) => [index, level.task.type, level] as const))(
    'level %d, %s',
    (_, __, { task, sentence, facts, walks }) => {
      const parsed = facts.map(([name, ...args]) => ({ name, args }));
      const level: Level = {
        ...buildHouse(parsed, 'agent1', today),
        task,
        sentence,
      };
      expect(walks.at(-1)?.steps.at(-1)?.[4]).toBe(true);
      for (const expected of walks) expect(walk(level, expected)).toEqual(expected);
    },
  );

  it('contain every kind of command, and refusals', () => {
    const walks = [...golden.levels.flatMap((level) => level.walks), ...golden.today];
    const commands = walks.flatMap(({ steps }) => steps);
    const verbs = new Set(
      commands.filter(([, text]) => text !== 'Nothing happens.').map(([command]) => command.split(' ')[0]),
    );
    expect([...verbs].sort()).toEqual(
      'clean close cool examine go heat help inventory look move open slice take use'.split(' '),
    );
    expect(commands.filter(([, text]) => text === 'Nothing happens.').length).toBeGreaterThan(30);
  });
});

describe.skipIf(folder === '')('the game of ALFWorld in the folder HOUSEHOLD_DATA', () => {
  const file = join(folder, 'game.tw-pddl');

  it('is played as by TextWorld, in its older sentences', () => {
    const level = readGame(file)!;
    expect(level.task).toEqual({
      type: 'pick_heat_then_place_in_recep',
      thing: 'potato',
      target: 'sinkbasin',
    });
    for (const expected of golden.alfworld) expect(walk(level, expected)).toEqual(expected);
    expect(planShortest(level.house, level.start, level.task)).toHaveLength(6);
  });

  it('is played as by TextWorld, in the sentences of today', () => {
    const game = JSON.parse(readFileSync(file, 'utf8')) as { pddl_problem: string };
    const grammar = readFileSync(join(folder, 'alfred.twl2'), 'utf8');
    const domain = readFileSync(join(folder, 'alfred.pddl'), 'utf8');
    const home = mkdtempSync(join(tmpdir(), 'household-'));
    try {
      const path = join(home, 'game.tw-pddl');
      const task = 'put a hot potato in sinkbasin';
      writeFileSync(
        path,
        JSON.stringify({ ...game, pddl_domain: domain, grammar: grammar.replace('UNKNOWN GOAL', task) }),
      );
      const level = readGame(path)!;
      for (const expected of golden.today) expect(walk(level, expected)).toEqual(expected);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
