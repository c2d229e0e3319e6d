import { expect, it } from 'vitest';
import { layOut, type Member } from './layout.js';
import { drawFamily, settingsOf } from './lines.js';

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
  const { aligned, drawn } = drawFamily(
    branches,
    settings,
    branches.map(({ run: { id } }) => ({
      steps: [1, 2],
      values: [success[id] ?? 0, null],
      decimated: false,
    })),
  );
  expect(
    drawn.map(({ name, band }, at) => [name, aligned.columns[at]?.[0], band?.map(([low]) => low)]),
  ).toEqual([
    ['learningRate 0.01 · 2 seeds', expect.closeTo(0.2, 12), [0.1, 0.3]],
    ['learningRate 0.1 · 2 seeds', expect.closeTo(0.8, 12), [0.6, 1]],
    ['run root', 0.5, undefined],
  ]);
});

it('seeds of one setting that nothing sets apart have the name of their first run', () => {
  const branches = layOut(runs.slice(0, 3), 'root', [['a1', 'a2']]);
  const { drawn } = drawFamily(branches, {}, []);
  expect(drawn[0]?.name).toBe('run a1 · 2 seeds');
});
