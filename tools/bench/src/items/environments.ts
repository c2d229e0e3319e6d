/** @file Steps per second of the environments and levels per second of Sokoban, single-threaded, plugins as shipped. */
import frozenLake from '@espalier/environment-frozen-lake';
import household from '@espalier/environment-household';
import mathWordProblems from '@espalier/environment-math-word-problems';
import retail from '@espalier/environment-retail';
import searchQa from '@espalier/environment-search-qa';
import sokoban from '@espalier/environment-sokoban';
import sql from '@espalier/environment-sql';
import type { EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';
import { type BenchItem, buildRow } from '../row.js';
import { plainLoopRate } from './plain-loop.js';

/**
 * Plays random actions for `seconds`, resetting after each end. Levels, and the texts that are played where there is no list
 * of actions, are made while the clock stands.
 */
function stepsPerSecond(open: (seed: number) => EnvironmentInstance, seconds: number): number {
  const stream = createStream(1);
  const names = (open(1).reset({ state: 1, noise: 1 }) as { actions?: readonly string[] }).actions ?? [];
  const actions = Array.from({ length: 1024 }, () => names[stream.int(Math.max(1, names.length))] ?? '');
  const instance = open(1);
  let steps = 0;
  let resetMs = 0;
  let seed = 1;
  const begin = performance.now();
  while (performance.now() - begin - resetMs < seconds * 1000) {
    const resetBegin = performance.now();
    void instance.reset({ state: seed, noise: seed });
    seed += 1;
    const texts = Array.from({ length: 16 }, (_, place) => instance.sampleAction?.(seed + place) ?? '');
    resetMs += performance.now() - resetBegin;
    for (let turn = 0; turn < 100; turn += 1) {
      const result = instance.step(
        names.length > 0 ? (actions[steps & 1023] ?? '') : (texts[turn & 15] ?? ''),
      ) as StepResult;
      steps += 1;
      if (result.done) break;
    }
  }
  return steps / ((performance.now() - begin - resetMs) / 1000);
}

/** FrozenLake with the default slip. */
export const frozenLakeSteps: BenchItem = async ({ short }) => {
  const params = frozenLake.params.parse({});
  const rate = stepsPerSecond(() => frozenLake.create(params), short ? 0.2 : 3);
  return [
    buildRow('env/frozen-lake', rate, 'steps/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() }),
  ];
};

/** Generated word problems, answered with numbers. */
export const mathWordProblemSteps: BenchItem = async ({ short }) => {
  const params = mathWordProblems.params.parse({});
  const rate = stepsPerSecond(() => mathWordProblems.create(params), short ? 0.2 : 3);
  return [
    buildRow('env/math-word-problems', rate, 'steps/s', {
      name: 'plain loop, 1e6 turns/s',
      value: plainLoopRate(),
    }),
  ];
};

/** Searches, pages and answers over 500 generated documents. */
export const searchQaSteps: BenchItem = async ({ short }) => {
  const params = searchQa.params.parse({});
  const rate = stepsPerSecond(() => searchQa.create(params), short ? 0.2 : 3);
  return [
    buildRow('env/search-qa', rate, 'steps/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() }),
  ];
};

/** Questions and look-ups in tau-bench's shop. */
export const retailSteps: BenchItem = async ({ short }) => {
  const params = retail.params.parse({});
  const rate = stepsPerSecond(() => retail.create(params), short ? 0.2 : 3);
  return [
    buildRow('env/retail', rate, 'steps/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() }),
  ];
};

/** Statements on generated databases; SQLite is loaded before the clock starts. */
export const sqlSteps: BenchItem = async ({ short }) => {
  const params = sql.params.parse({});
  await sql.create(params).reset({ state: 1, noise: 1 });
  const rate = stepsPerSecond(() => sql.create(params), short ? 0.2 : 3);
  return [buildRow('env/sql', rate, 'steps/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() })];
};

/** Sokoban, 6×6, one box. */
export const sokobanSteps: BenchItem = async ({ short }) => {
  const params = sokoban.params.parse({});
  const rate = stepsPerSecond(() => sokoban.create(params), short ? 0.2 : 3);
  return [
    buildRow('env/sokoban', rate, 'steps/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() }),
  ];
};

/** The household at ALFWorld's size; without a list of names, the commands are drawn from what is admissible, before the clock starts. */
export const householdSteps: BenchItem = async ({ short }) => {
  const episodes = Array.from({ length: short ? 4 : 40 }, (_, seed) => {
    const instance = household.create(household.params.parse({}));
    void instance.reset({ state: seed, noise: seed });
    const commands: string[] = [];
    for (let step = 0; step < 50; step += 1) {
      commands.push(instance.sampleAction?.(seed * 64 + step) ?? '');
      if ((instance.step(commands.at(-1) ?? '') as StepResult).done) break;
    }
    return { seed, instance, commands };
  });
  let steps = 0;
  let stepMs = 0;
  while (stepMs < (short ? 200 : 3000))
    for (const { seed, instance, commands } of episodes) {
      void instance.reset({ state: seed, noise: seed });
      const begin = performance.now();
      for (const command of commands) void instance.step(command);
      stepMs += performance.now() - begin;
      steps += commands.length;
    }
  return [
    buildRow('env/household', steps / (stepMs / 1000), 'steps/s', {
      name: 'plain loop, 1e6 turns/s',
      value: plainLoopRate(),
    }),
  ];
};

/** Levels made from fresh seeds, 6×6, one box. */
export const sokobanLevels: BenchItem = async ({ short }) => {
  const instance = sokoban.create(sokoban.params.parse({}));
  const count = short ? 200 : 10_000;
  const begin = performance.now();
  for (let seed = 10_000; seed < 10_000 + count; seed += 1) void instance.reset({ state: seed, noise: seed });
  const rate = count / ((performance.now() - begin) / 1000);
  return [
    buildRow('levels/sokoban', rate, 'levels/s', { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() }),
  ];
};
