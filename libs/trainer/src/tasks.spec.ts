import type { TrajectoryGroup } from '@espalier/contracts';
import { tasks as tasksSchema } from '@espalier/contracts/schedule-options';
import { stateSeed } from '@espalier/rollout';
import { describe, expect, it } from 'vitest';
import { countTasks, isTaskStates, orderTasks, poolOf, startTasks, type TaskState } from './tasks.js';
import { tinySpec } from './testing/tiny-run.js';

const options = (change: object) => tasksSchema.parse({ count: 4, ...change });
const spec = (change: object = {}) =>
  tinySpec({ rollout: { promptsPerStep: 2, prompt: { thinking: 'none' }, tasks: options(change) } });

/** A group of the task that passed `successes` times of `size`. */
const group = (task: number, successes: number, size: number): TrajectoryGroup =>
  ({
    group: task,
    environment: 'guess',
    stateSeed: stateSeed('train', 0, task),
    trajectories: Array.from({ length: size }, (_, index) => ({ success: index < successes })),
  }) as unknown as TrajectoryGroup;

const known = (state: Partial<TaskState>): TaskState => ({
  plays: [1, 1, 1, 1],
  latest: [0.5, 0.5, 0.5, 0.5],
  passed: [0, 0, 0, 0],
  failed: [0, 0, 0, 0],
  ...state,
});
const request = (step: number, groups = 2) => ({ seed: 0, tag: '', step, groups });

describe('what is known of tasks', () => {
  it('counts by state, discounting what was known before, by hand', () => {
    const run = spec({ memory: 0.5 });
    const first = countTasks(run, startTasks(run), [group(2, 3, 4), group(0, 0, 4)]);
    expect(first?.['']).toEqual({
      plays: [1, 0, 1, 0],
      latest: [0, -1, 0.75, -1],
      passed: [0, 0, 3, 0],
      failed: [4, 0, 1, 0],
    });
    const second = countTasks(run, first, [group(2, 4, 4)]);
    expect(second?.['']).toMatchObject({ passed: [0, 0, 5.5, 0], failed: [4, 0, 0.5, 0] });
    expect(isTaskStates(second)).toBe(true);
    expect(isTaskStates({ '': { ...second?.[''], latest: [0] } })).toBe(false);
  });

  it('is nothing without a finite set', () => {
    expect(startTasks(tinySpec())).toBeUndefined();
    expect(countTasks(tinySpec(), undefined, [group(0, 1, 2)])).toBeUndefined();
  });
});

describe('the order of tasks', () => {
  it('in turn, those played least come first, and steps differ', () => {
    const state = known({ plays: [2, 1, 2, 1] });
    const orders = [1, 2, 3, 4, 5, 6].map((step) => orderTasks(options({}), state, request(step)));
    for (const order of orders) expect(new Set(order.slice(0, 2))).toEqual(new Set([1, 3]));
    expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(1);
    expect(orderTasks(options({}), state, request(1))).toEqual(orders[0]);
  });

  it('by Thompson sampling prefers pass rates near the target, and tries what is uncertain', () => {
    // 50 of 100, 0 of 100, 100 of 100, and never tried
    const state = known({ passed: [50, 0, 100, 0], failed: [50, 100, 0, 0] });
    const first = [0, 0, 0, 0];
    const among = [0, 0, 0, 0];
    for (let step = 1; step <= 400; step++) {
      const order = orderTasks(options({ choose: 'thompson' }), state, request(step));
      first[order[0] ?? 0]! += 1;
      for (const task of order.slice(0, 2)) among[task]! += 1;
    }
    expect(first[1]! + first[2]!).toBe(0);
    expect(first[0]).toBeGreaterThan(first[3] as number);
    expect(first[3]).toBeGreaterThan(20); // a uniform draw is the nearer one now and then
    expect(among[0]).toBeGreaterThan(390);
    expect(orderTasks(options({ choose: 'thompson', target: 0.99 }), state, request(1))[0]).toBe(2);
  });

  it('by pools takes whole numbers of each, and fills up from the others, by hand', () => {
    const state: TaskState = {
      plays: Array.from({ length: 12 }, () => 1),
      latest: [0, 0, 0, 0, 0.5, 0.5, 0.25, -1, 1, 1, 1, 1],
      passed: [],
      failed: [],
    };
    const poolsOf = (shares: object, groups: number) =>
      orderTasks(options({ count: 12, choose: 'pools', shares }), state, request(3, groups))
        .slice(0, groups)
        .map((task) => poolOf(state.latest[task] as number))
        .sort();
    // 4 · 1/4, 4 · 2/4, 4 · 1/4
    expect(poolsOf({ hard: 1, open: 2, easy: 1 }, 4)).toEqual(['easy', 'hard', 'open', 'open']);
    // only four are open: the next two come from the hard ones
    expect(poolsOf({ hard: 0, open: 1, easy: 0 }, 6)).toEqual([
      'hard',
      'hard',
      'open',
      'open',
      'open',
      'open',
    ]);
    const all = orderTasks(options({ count: 12, choose: 'pools' }), state, request(1, 3));
    expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, task) => task));
  });

  it.each([
    [{}, 1],
    [{}, 3],
    [{}, 4],
    [{}, 5],
    [{ hard: 2, open: 3, easy: 2 }, 1],
    [{ hard: 0.3, open: 0, easy: 0.1 }, 3],
    [{ hard: 0, open: 5, easy: 1 }, 2],
  ])('by pools keeps the shares %j over steps of %i groups, at any step', (change, groups) => {
    const latest = Array.from({ length: 18 }, (_, task) => [0, 0.5, 1][task % 3] as number);
    const state: TaskState = { plays: latest.map(() => 1), latest, passed: [], failed: [] };
    const choice = options({ count: 18, choose: 'pools', shares: change });
    const { hard, open, easy } = choice.shares;
    const played = { hard: 0, open: 0, easy: 0 };
    for (let step = 1; step <= 200; step++) {
      for (const task of orderTasks(choice, state, request(step, groups)).slice(0, groups))
        played[poolOf(latest[task] as number)] += 1;
      const expected = (share: number) => (step * groups * share) / (hard + open + easy);
      expect(Math.abs(played.open - expected(open))).toBeLessThan(1 + 1e-9);
      expect(Math.abs(played.hard - expected(hard))).toBeLessThan(2);
      expect(Math.abs(played.easy - expected(easy))).toBeLessThan(2);
    }
  });
});
