import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { createFrozenLake } from './frozen-lake.js';
import frozenLake from './index.js';
import { actionNames, createMap } from './map.js';
import { cellValues } from './plan.js';

testEnvironment(frozenLake, { params: {} });
testEnvironment(frozenLake, { params: { successRate: 1 } });
testEnvironment(frozenLake, {
  params: { size: 6, successRate: 1, observation: 'grid_coord' },
  oracleSolves: 1,
});

testEnvironment(frozenLake, { params: { observation: 'relative' } });

const read = <T>(name: string): T[] =>
  JSON.parse(readFileSync(join(goldenFolder('frozen-lake'), name), 'utf8')) as T[];

interface GoldenMap {
  seed: number;
  size: number;
  p: number;
  map: string[];
  start: number;
}

interface GoldenTrajectory extends GoldenMap {
  success_rate: number;
  actions: number[];
  transitions: [number, number, number, boolean][];
}

describe('the reference', () => {
  it('has the same maps', () => {
    for (const golden of read<GoldenMap>('frozen_lake.json')) {
      const map = createMap(golden.seed, golden.size, golden.p);
      const cells = [...map.holes].map((hole, cell) =>
        cell === map.start ? 'S' : cell === map.goal ? 'G' : hole === 1 ? 'H' : 'F',
      );
      expect(cells.join('')).toBe(golden.map.join(''));
      expect(map.start).toBe(golden.start);
    }
  });

  it('slips alike when the noise is shared', async () => {
    for (const golden of read<GoldenTrajectory>('frozen_lake_trajectories.json')) {
      const lake = createFrozenLake({ ...golden, successRate: golden.success_rate, observation: 'grid' });
      await lake.reset({ state: golden.seed, noise: golden.seed });
      for (const [action, cell, reward, done] of golden.transitions) {
        const result = await lake.step(actionNames[action - 1]!);
        const [row, column] = lake.facts!()['player'] as [number, number];
        expect([row * golden.size + column, result.reward, result.done]).toEqual([cell, reward, done]);
      }
    }
  });
});

describe('createFrozenLake', () => {
  const params = { size: 4, p: 0.9, successRate: 0.8, observation: 'grid' as const };

  it('slips to each side with half of the remaining probability', async () => {
    const lake = createFrozenLake({ ...params, p: 1 });
    const counts: Record<string, number> = {};
    for (let noise = 0; noise < 4000; noise++) {
      await lake.reset({ state: 3, noise });
      lake.restore!({
        size: 4,
        start: 0,
        goal: 15,
        holes: new Array<number>(16).fill(0),
        player: 5,
        noise: (lake.snapshot!() as { noise: number[] }).noise,
      });
      await lake.step('Up');
      const cell = String(lake.facts!()['player']);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(['0,1', '1,0', '1,2']);
    expect(Math.abs(counts['0,1']! / 4000 - 0.8)).toBeLessThan(0.025); // 4 standard errors
    expect(Math.abs(counts['1,0']! / 4000 - 0.1)).toBeLessThan(0.02);
  });

  it('says where the goal and the holes are', () => {
    const lake = createFrozenLake(params);
    const holes = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const map = { size: 4, start: 1, goal: 14, holes, player: 1, noise: [0, 0, 0, 0, 1, 0, 0, 0, -1] };
    lake.restore!(map);
    expect(lake.explain!([])).toBe('goal 3 down 1 right. hole right.');
    for (const observation of ['coord', 'grid_coord'] as const) {
      const shown = createFrozenLake({ ...params, observation });
      shown.restore!(map);
      expect(shown.explain!([])).toBe('at (0, 1), goal (3, 2): 3 down 1 right. hole right.');
    }
    expect(lake.render()).toBe('_PO_\n____\n____\n__G_');
    expect(lake.facts!()).toEqual({
      player: [0, 1],
      goal: [3, 2],
      holes: [[0, 2]],
      distance: 4,
      holeNeighbours: ['right'],
    });
  });

  it('plans for the slip: the oracle reaches the goal about as often as the best policy can', async () => {
    const lake = createFrozenLake(params);
    let wins = 0;
    let expected = 0;
    for (let seed = 0; seed < 300; seed++) {
      await lake.reset({ state: seed, noise: seed + 1000 });
      expected += cellValues(createMap(seed, 4, 0.9), 0.8)[createMap(seed, 4, 0.9).start]!;
      for (let step = 0, done = false; step < 50 && !done; step++) {
        const result = await lake.step(lake.oracle!()[0]!);
        done = result.done;
        wins += result.success ? 1 : 0;
      }
    }
    expect(wins).toBeGreaterThan(expected - 25);
  });

  it('stays where it ended', async () => {
    const lake = createFrozenLake({ ...params, successRate: 1 });
    await lake.reset({ state: 1, noise: 1 });
    for (const action of lake.oracle!()) await lake.step(action);
    expect(await lake.step('Left')).toMatchObject({ reward: 0, done: true, success: true, effective: false });
  });

  it('shows the lake from where the player stands', async () => {
    const lake = createFrozenLake({ ...params, observation: 'relative', successRate: 1 });
    const holes = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const stand = (player: number): void =>
      lake.restore!({ size: 4, start: 1, goal: 14, holes, player, noise: [0, 0, 0, 0, 1, 0, 0, 0, -1] });
    const after = async (player: number, action: string): Promise<string> => {
      stand(player);
      return (await lake.step(action)).observation.text;
    };
    expect(await after(0, 'Right')).toBe('Goal: 3 down 1 right\nLeft: ice, Down: ice, Right: hole, Up: edge');
    expect(await after(9, 'Right')).toBe('Goal: 1 down\nLeft: ice, Down: goal, Right: ice, Up: ice');
    expect(await after(13, 'Right')).toBe('Goal: here\nLeft: ice, Down: edge, Right: ice, Up: ice');
    expect(await after(1, 'Right')).toBe(
      'You are in a hole.\nGoal: 3 down\nLeft: ice, Down: ice, Right: ice, Up: edge',
    );
    stand(1);
    expect(lake.explain!([])).toBe('goal 3 down 1 right. hole right.');
  });

  it('gives coordinates in the order of the reference', async () => {
    const observation = await createFrozenLake({ ...params, observation: 'coord' }).reset({
      state: 123,
      noise: 0,
    });
    expect(observation.text).toMatch(
      /^Board size: 4 rows x 4 cols \(zero-indexed\)\.\nStart: .+\nGoal: .+\nPlayer: /,
    );
    expect(observation.legend).toBeUndefined();
  });
});
