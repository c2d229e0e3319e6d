import { expect, it } from 'vitest';
import { listChosenInert } from './train.command.js';

it('notes only what a fork asked for, not what it has of its parent', () => {
  const inert = ['optimizer.schedule.finalRatio', 'criticOptimizer', 'update.targetKl'].map((path) => ({
    path,
    reason: 'why',
    set: path !== 'update.targetKl',
  }));
  const sources = new Map([
    ['optimizer.schedule.finalRatio', 'file'],
    ['criticOptimizer.learningRate', '--set'],
    ['update.targetKl', 'default'],
  ] as const);
  const paths = (isFork: boolean) => listChosenInert({ inert, sources }, isFork).map(({ path }) => path);
  expect(paths(true)).toEqual(['criticOptimizer']);
  expect(paths(false)).toEqual(['optimizer.schedule.finalRatio', 'criticOptimizer']);
});
