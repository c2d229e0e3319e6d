import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunSpec, runLayout } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { groupBySeed, testGroups } from './compare-runs.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-compare-'));

/** What every spec has. */
const others = { algorithm: { use: 'grpo' }, model: {}, update: {} };

/** A run with validations: one letter per state. */
function run(name: string, options: Record<string, unknown>, validations: Record<number, string>) {
  const folder = join(root, name);
  mkdirSync(join(folder, runLayout.validation), { recursive: true });
  for (const [step, letters] of Object.entries(validations)) {
    const outcomes = [...letters].map((letter, index) => ({
      stateSeed: 100 + index,
      success: letter === '1',
    }));
    writeFileSync(join(folder, runLayout.validationOf(Number(step))), JSON.stringify({ outcomes }));
  }
  const environment = { use: 'bandit', arms: 'phoenix-dragon' };
  const spec = { name, environment, validation: {}, ...options } as unknown as RunSpec;
  writeFileSync(join(folder, runLayout.spec), JSON.stringify({ ...spec, ...others }));
  return { folder, spec, step: 2, state: 'finished', success: undefined, validation: undefined };
}

const grpo = [
  run('grpo-1', { seed: 1, algorithm: 'grpo' }, { 0: '00000000', 2: '11111100' }),
  run('grpo-2', { seed: 2, algorithm: 'grpo' }, { 0: '00000000', 2: '11111100', 4: '11111111' }),
];
const ppo = run('ppo-1', { seed: 1, algorithm: 'ppo' }, { 0: '00000000', 2: '00000000' });

describe('groupBySeed', () => {
  it('puts runs together that differ in their seed only', () => {
    expect(groupBySeed([...grpo, ppo]).map(({ label, seeds }) => [label, seeds])).toEqual([
      ['grpo-1 (seeds 1, 2)', [1, 2]],
      ['ppo-1', [1]],
    ]);
  });
});

describe('testGroups', () => {
  it('tests the newest validation that all have, by hand', () => {
    const [test] = testGroups(groupBySeed([...grpo, ppo])).tests;
    // 6 of 8 states won in both seeds, none lost: 2/64
    expect(test).toMatchObject({ step: 2, states: 8, difference: 0.75, p: expect.closeTo(1 / 32, 12) });
  });

  it('takes the mean over the seeds of a group for each state', () => {
    const uneven = run('grpo-3', { seed: 3, algorithm: 'grpo' }, { 2: '10000000' });
    const [test] = testGroups(groupBySeed([grpo[0] ?? ppo, uneven, ppo])).tests;
    // 1, ½ five times, 0, 0 against nothing: every change of signs of six, two of 64 as far
    expect(test).toMatchObject({ method: 'sign-flip-exact', difference: 3.5 / 8, p: 2 / 64 });
  });

  it('tests nothing without a common validation, and a damaged one is an error', () => {
    const late = run('late', { seed: 1, algorithm: 'late' }, { 6: '11' });
    expect(testGroups(groupBySeed([ppo, late]))).toEqual({
      tests: [],
      untested: [{ first: 'ppo-1', second: 'late', reason: 'no validation of the same trained step' }],
    });
    expect(testGroups(groupBySeed([ppo, late]), 'end').tests).toMatchObject([{ step: 6, states: 2 }]);
    const start = run('start', { seed: 1, algorithm: 'start' }, { 0: '11111111' });
    expect(testGroups(groupBySeed([ppo, start])).tests).toEqual([]);
    expect(testGroups(groupBySeed([ppo, start]), 'end').tests).toEqual([]);
    const broken = run('broken', { seed: 1, algorithm: 'broken' }, {});
    writeFileSync(join(broken.folder, runLayout.validationOf(2)), '{"outc');
    expect(() => testGroups(groupBySeed([ppo, broken]))).toThrow(
      expect.objectContaining({ code: 'trainer.corrupt_run' }),
    );
  });

  it('pairs no states of different environments, and says in what they differ', () => {
    const environment = { use: 'bandit', arms: 'phoenix-dragon', isolation: 'process' };
    const same = run('same', { seed: 1, environment }, { 2: '11111111' });
    expect(testGroups(groupBySeed([ppo, same])).tests).toHaveLength(1);
    const lake = run('lake', { seed: 1, environment: { use: 'frozen-lake' } }, { 2: '11111111' });
    const arms = run('arms', { seed: 1, environment: { ...environment, arms: 'x' } }, { 2: '11111111' });
    const newer = run('newer', { seed: 1, environment, steps: 3 }, { 2: '11111111' });
    const plugins = [{ kind: 'environment', id: 'bandit', version: '0.2.0' }];
    writeFileSync(join(newer.folder, runLayout.origin), JSON.stringify({ plugins }));
    const reasons = [lake, arms, newer].flatMap(
      (other) => testGroups(groupBySeed([ppo, other])).untested[0]?.reason,
    );
    expect(reasons).toEqual([
      'no common states: the environments differ (bandit and frozen-lake)',
      'no common states: the environments differ (options of bandit)',
      'no common states: the environments differ (bandit and bandit 0.2.0)',
    ]);
  });
});
