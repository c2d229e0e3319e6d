/** @file Games from files: what is played, and how what cannot be is reported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { findGames, readGame } from './game-file.js';
import household from './index.js';

const home = mkdtempSync(join(tmpdir(), 'household-'));
afterAll(() => rmSync(home, { recursive: true }));

const put = (path: string, content: unknown): string => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const goal =
  '(:goal (and (exists (?r - receptacle) (exists (?o - object) (and (inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r DeskType))))))';
const problem = (changed: Readonly<Record<string, string>> = {}): string => {
  const text = `; a comment with (
(define (problem plan)
(:domain alfred)
(:objects agent1 - agent Mug_bar_1 - object Shelf_bar_1 Desk_bar_1 - receptacle)
(:init (= (total-cost) 0) (= (distance loc_bar_0 loc_bar_1) 1)
 (atLocation agent1 loc_bar_0) (objectType Mug_bar_1 MugType) (pickupable Mug_bar_1)
 (receptacleType Shelf_bar_1 ShelfType) (receptacleAtLocation Shelf_bar_1 loc_bar_1)
 (receptacleType Desk_bar_1 DeskType) (receptacleAtLocation Desk_bar_1 loc_bar_2)
 (canContain DeskType MugType) (inReceptacle Mug_bar_1 Shelf_bar_1) (objectAtLocation Mug_bar_1 loc_bar_1))
${goal})`;
  return Object.entries(changed).reduce((all, [from, to]) => all.replace(from, to), text);
};
const game = (changed: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  pddl_domain: '(define (domain alfred) (:action help))',
  grammar: 'grammar :: """{"task": [{ "rhs": "Your task is to: put a mug in desk." }]}"""',
  pddl_problem: problem(),
  solvable: true,
  ...changed,
});

const one = put('games/a/game.tw-pddl', game());
put('games/b/game.tw-pddl', game({ solvable: false }));
put('games/pick_and_place_with_movable_recep/game.tw-pddl', game());
put('games/pick_and_place-AppleSliced/game.tw-pddl', game());
put('games/a/traj_data.json', {});

testEnvironment(household, {
  params: { games: { source: 'files', train: join(home, 'games') }, split: 'train' },
  oracleSolves: 1,
  seeds: [0, 1, 2],
});

describe('games', () => {
  it('are found in a folder, without those that ALFWorld leaves out', () => {
    expect(findGames(join(home, 'games'))).toEqual([one, join(home, 'games/b/game.tw-pddl')]);
    expect(findGames(one)).toEqual([one]);
  });

  it('are played, and those marked as unsolvable are passed over', async () => {
    const instance = household.create(
      household.params.parse({ games: { source: 'files', train: join(home, 'games') }, commands: 'hidden' }),
    );
    for (const state of [0, 1]) {
      const { text } = await instance.reset({ state, noise: 0 });
      expect(text).toBe(
        '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a desk 1, and a shelf 1.\n\nYour task is to: put a mug in desk.',
      );
      expect(instance.oracle!()).toEqual([
        'go to desk 1',
        'go to shelf 1',
        'take mug 1 from shelf 1',
        'go to desk 1',
        'move mug 1 to desk 1',
      ]);
    }
    expect(() => instance.reset({ state: 123_000, noise: 0 })).toThrow(
      'reset: the split validation has no games; set `games.validation` to a folder of other games, or `split: train`',
    );
  });

  it.each<readonly [name: string, content: unknown, finding: string]>([
    ['no JSON', '{', 'give a game.tw-pddl of ALFWorld, which is JSON'],
    ['null', 'null', '"pddl_problem" is no text'],
    ['no grammar', game({ grammar: 3 }), '"grammar" is no text'],
    [
      'no task',
      game({ grammar: 'Your task is to: UNKNOWN GOAL.' }),
      'its grammar has no "Your task is to: …"',
    ],
    [
      'a broken task',
      game({ grammar: '{ "rhs": "Your task is to: put a \\q in desk." }' }),
      'its grammar has a "Your task is to: …" that is no JSON string; give a game',
    ],
    ['no PDDL', game({ pddl_problem: 'hello' }), 'pddl_problem: line 1: "hello" is in no list'],
    [
      'an open list',
      game({ pddl_problem: '(define\n(problem' }),
      'pddl_problem: line 2: this list has no end; close it',
    ],
    ['a closed list', game({ pddl_problem: '(define)\n)' }), 'line 2: '],
    ['nested lists', game({ pddl_problem: '('.repeat(100_000) }), 'line 1: lists are nested deeper than 64'],
    ['no goal', game({ pddl_problem: problem({ [goal]: '' }) }), 'the problem has no part (:goal …)'],
    [
      'no agent',
      game({ pddl_problem: problem({ 'agent1 - agent': '' }) }),
      'pddl_problem has no object of type agent',
    ],
    [
      'no place',
      game({ pddl_problem: problem({ '(atLocation agent1 loc_bar_0)': '' }) }),
      'pddl_problem has no (atLocation agent1 …)',
    ],
    [
      'a sliced mug',
      game({
        pddl_problem: problem({ '(inReceptacle ?o ?r) (obj': '(isSliced ?o) (inReceptacle ?o ?r) (obj' }),
      }),
      'the goal has (issliced …), which is in none of the six types of tasks; remove the file',
    ],
  ])('with %s are reported', (name, content, finding) => {
    const file = put(`bad/${name}/game.tw-pddl`, content);
    expect(() => readGame(file)).toThrow(`read ${file}`);
    expect(() => readGame(file)).toThrow(finding);
  });

  it('that are missing are reported', () => {
    expect(() => findGames(join(home, 'nowhere'))).toThrow(
      'there is no such file or folder; correct the path in `games`',
    );
    mkdirSync(join(home, 'empty'));
    expect(() => findGames(join(home, 'empty'))).toThrow(
      'the folder has no game.tw-pddl; give a folder of ALFWorld',
    );
    const unsolvable = join(home, 'games/b');
    const instance = household.create(
      household.params.parse({ games: { source: 'files', train: unsolvable } }),
    );
    expect(() => instance.reset({ state: 0, noise: 0 })).toThrow('is marked as unsolvable; give others');
  });
});
