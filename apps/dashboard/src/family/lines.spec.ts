import { expect, it } from 'vitest';
import { layOut, type Member } from './layout.js';
import { drawFamily, legendValue, seedsOf, settingsOf } from './lines.js';

const runs = ['root', 'a1', 'a2', 'b1', 'b2'].map((id): Member & { name: string; title: string | null } => ({
  id,
  name: `run ${id}`,
  title: null,
  parentRunId: id === 'root' ? null : 'root',
  parentStep: id === 'root' ? null : 0,
  continues: true,
  step: 2,
  steps: 2,
  createdAt: id,
}));

/** One place, of runs with these values. */
const curveOf = (runIds: readonly string[], values: readonly number[]) => ({
  runIds,
  x: [1],
  counts: [values.length],
  mean: [values.reduce((sum, value) => sum + value, 0) / values.length],
  min: [Math.min(...values)],
  max: [Math.max(...values)],
});

it('every setting with several seeds is a mean with its own band, named by what sets it apart', () => {
  const groups = [['root'], ['a1', 'a2'], ['b1', 'b2']];
  const branches = layOut(runs, 'root', groups);
  const success: Record<string, number> = { root: 0.5, a1: 0.1, a2: 0.3, b1: 0.6, b2: 1 };
  const settings = settingsOf(
    runs.map(({ id }) => id),
    [
      { path: 'seed', values: [1, 1, 2, 1, 2] },
      { path: 'name', values: ['a', 'b', 'c', 'd', 'e'] },
      { path: 'optimizer.learningRate', values: [null, 0.01, 0.01, 0.1, 0.1] },
    ],
  );
  expect(seedsOf(branches)).toEqual(groups.slice(1));
  const curves = groups.slice(1).map((ids) =>
    curveOf(
      ids,
      ids.map((id) => success[id] ?? 0),
    ),
  );
  const history = new Map([['root', { steps: [1, 2], values: [0.5, null], decimated: false }]]);
  const { aligned, drawn } = drawFamily(branches, settings, curves, history);
  expect(
    drawn.map(({ name, band }, at) => [name, aligned.columns[at]?.[0], band?.map(([low]) => low)]),
  ).toEqual([
    ['learningRate 0.01 · 2 seeds', expect.closeTo(0.2, 12), [0.1, 0.3]],
    ['learningRate 0.1 · 2 seeds', expect.closeTo(0.8, 12), [0.6, 1]],
    ['run root', 0.5, undefined],
  ]);
});

it('seeds of many steps have as many places of a band as the server tells of, where all of them are', () => {
  const branches = layOut(runs, 'root', [['a1', 'a2']]);
  const x = Array.from({ length: 400 }, (_, at) => 5 * (at + 1));
  const all = x.map(() => 0.5);
  const counts = x.map((step) => (step > 1900 ? 1 : 2));
  const curve = { runIds: ['a1', 'a2'], x, counts, mean: all, min: all, max: all };
  // each of the other runs was decimated at steps of its own
  const decimated = (first: number) => ({
    steps: x.map((step) => step + first),
    values: all,
    decimated: true,
  });
  const history = new Map(['root', 'b1', 'b2'].map((id, at) => [id, decimated(at + 1)] as const));
  const { aligned, drawn } = drawFamily(branches, {}, [curve], history);
  const banded = aligned.columns[0]?.filter((value) => value !== undefined);
  expect([drawn[0]?.name, banded?.length, aligned.steps.at(-1)]).toEqual(['run a1 · 2 seeds', 380, 2003]);
  expect(drawn[0]?.band?.[0].filter((value) => typeof value === 'number')).toHaveLength(380);
});

it('seeds that begin at different places of the axis have no mean', () => {
  const moved = runs.map((run) => (run.id === 'a2' ? { ...run, parentStep: 1, continues: false } : run));
  expect(seedsOf(layOut(moved, 'root', [['a1', 'a2'], ['b1', 'b2']]))).toEqual([['b1', 'b2']]); // prettier-ignore
});

it('seeds of one setting that nothing sets apart have the name of their first run', () => {
  const branches = layOut(runs.slice(0, 3), 'root', [['a1', 'a2']]);
  const { drawn } = drawFamily(branches, {}, [curveOf(['a1', 'a2'], [0, 1])], new Map());
  expect(drawn[0]?.name).toBe('run a1 · 2 seeds');
});

it('the legend has the newest value of each run of many steps under the pointer, from its first to its last', () => {
  const branches = layOut(runs.slice(0, 2), 'root', []);
  const read = (steps: readonly number[], values: readonly number[]) => ({ steps, values, decimated: true });
  const history = new Map([
    ['root', read([1, 40, 90], [0.1, 0.4, 0.9])],
    ['a1', read([10, 50], [0.2, 0.5])],
  ]);
  const { columns, steps } = drawFamily(branches, {}, [], history).aligned;
  const told = [...steps.keys(), null].map((row) => columns.map((column) => legendValue(column, row)));
  expect(steps).toEqual([1, 10, 40, 50, 90]);
  expect(told).toEqual([
    [0.1, undefined],
    [0.1, 0.2],
    [0.4, 0.2],
    [0.4, 0.5],
    [0.9, undefined],
    [0.9, 0.5],
  ]);
});
