import { describe, expect, it } from 'vitest';
import { applyOverrides, parseConfig, resolveRunSpec } from './index.js';
import { failure, limits, plugins, resolve, smallest } from './testing/small-registry.js';

const messageOf = (sets: string[], text = smallest): string => failure(() => resolve(text, sets)).message;
const rollBack = (change: string, ...more: string[]): string[] => [
  'monitor.onCollapse.action=rollBack',
  `monitor.onCollapse.change=${change}`,
  ...more,
];

describe('a roll-back', () => {
  it('may not change whether groups are compared with greedy trajectories', () => {
    const needs = ({ kept }: { kept: number }) => ({
      critic: false,
      reference: false,
      greedyBaseline: kept < 1,
    });
    const list = () => plugins.map((one) => (one.id === 'grpo' ? { ...one, needs } : one)) as typeof plugins;
    const config = parseConfig(smallest, 'x.yaml');
    const sets = rollBack('{ algorithm.kept: { to: 0.5 } }');
    expect(
      failure(() => resolveRunSpec(applyOverrides(config, sets), { list }, () => ({ limits }))).message,
    ).toContain('grpo needs other rollouts (greedy baseline true)');
  });

  it('may change numbers of the optimizer, the algorithm and how often a rollout is used', () => {
    const change =
      '{ optimizer.learningRate: { times: 0.3 }, update.epochs: { to: 1 }, algorithm.kept: { to: 0.5 } }';
    expect(resolve(smallest, rollBack(change)).spec.monitor.onCollapse).toEqual({
      action: 'rollBack',
      change: {
        'optimizer.learningRate': { times: 0.3 },
        'update.epochs': { to: 1 },
        'algorithm.kept': { to: 0.5 },
      },
    });
  });

  it('is refused where there is no such number, or nothing that may change', () => {
    expect(messageOf(rollBack('{ algorithm.kepd: { to: 1 } }'))).toMatch(
      /monitor\.onCollapse\.change algorithm\.kepd: .* this run has no such one; correct the path/,
    );
    for (const path of ['rollout.groupSize', 'optimizer.learningrate'])
      expect(messageOf(rollBack(`{ ${path}: { to: 4 } }`))).toMatch(
        new RegExp(
          `${path} is .*; expected the path of a number that may change: optimizer\\.learningRate, `,
        ),
      );
    expect(messageOf(rollBack('{ optimizer.learningRate: { to: 1e-4, times: 2 } }'))).toContain(
      'give one of `to` and `times`',
    );
    expect(messageOf(rollBack('{ optimizer.learningRate: {} }'))).toContain('give one of `to` and `times`');
  });

  it('is refused where it changes the algorithm of the run and every environment has its own', () => {
    const tagged = (far: string): string =>
      'algorithm: { use: grpo }\nenvironments:\n' +
      '  near: { environment: { use: grid }, groups: 4, algorithm: { use: ppo } }\n' +
      `  far: { environment: { use: grid }, groups: 4${far} }\n`;
    const own = tagged(', algorithm: { use: ppo }');
    expect(messageOf(rollBack('{ algorithm.kept: { to: 0.5 } }'), own)).toContain(
      'monitor.onCollapse.change algorithm.kept: every environment has its own algorithm, so nothing reads that of the run; change numbers of optimizer or update',
    );
    const change = { 'optimizer.learningRate': { times: 0.3 } };
    expect(resolve(own, rollBack(JSON.stringify(change))).spec.monitor.onCollapse).toMatchObject({ change });
    const shared = resolve(tagged(''), rollBack('{ algorithm.clipRatio: { to: 0.1 } }'));
    expect(shared.spec.monitor.onCollapse.action).toBe('rollBack');
  });

  it('is refused where a row of them would reach settings that are invalid', () => {
    expect(messageOf(rollBack('{ optimizer.beta1: { times: 1.08 } }'))).toMatch(
      /after 2 of at most 3 roll-backs optimizer\.beta1 is not valid: .*; change less, or lower monitor\.maxRollBacks/,
    );
    expect(messageOf(rollBack('{ algorithm.kept: { times: 0.3 } }', 'rollout.promptsPerStep=8'))).toContain(
      'after 2 of at most 3 roll-backs grpo keeps no group',
    );
    const ppo = 'environment: { use: grid }\nalgorithm: { use: ppo, critics: 2 }\n';
    expect(messageOf(rollBack('{ algorithm.critics: { to: 3 } }'), ppo)).toContain(
      'ppo needs other models (critics 3, reference false)',
    );
    // each alone is possible
    const both = [
      ...rollBack('{ algorithm.kept: { to: 0.25 } }', 'rollout.promptsPerStep=8', 'rollout.groupSize=3'),
      'monitor.onWarning.action=rollBack',
      'monitor.onWarning.change={ update.miniBatches: { to: 4 } }',
    ];
    expect(messageOf(both)).toMatch(
      /after 2 of at most 3 roll-backs 6 trajectories cannot be split into 4 mini-batches/,
    );
    expect(resolve(smallest, [...both, 'monitor.maxRollBacks=1']).spec.monitor.maxRollBacks).toBe(1);
  });

  it('may make a filter stricter, and not put another beside it', () => {
    const filter = ['filter.kind=ratio', 'filter.value=0.5', 'rollout.promptsPerStep=8'];
    const stricter = rollBack('{ filter.value: { times: 0.5 } }', ...filter);
    expect(resolve(smallest, stricter).spec.filter?.value).toBe(0.5);
    expect(messageOf(rollBack('{ filter.value: { times: 2.5 } }', ...filter))).toContain(
      'after 1 of at most 3 roll-backs filter.value is not valid',
    );
    expect(messageOf(rollBack('{ algorithm.kept: { to: 0.5 } }', ...filter))).toContain(
      'grpo and filter would rank the same groups',
    );
    expect(messageOf(rollBack('{ filter.value: { to: 0.5 } }'))).toContain('this run has no such one');
  });

  it('names the rules where there is none of a name', () => {
    const change = (name: string) => messageOf([`monitor.rules={ ${name}: { warning: 4 } }`]);
    expect(change('entropy-rize')).toContain('monitor.rules.entropy-rize; did you mean entropy-rise?');
    expect(change('zzz')).toMatch(/valid here: .*template-collapse, /);
  });

  it('is refused where no checkpoint is written', () => {
    expect(messageOf(rollBack('{}', 'checkpoint.every=0'))).toMatch(
      /checkpoint\.every is 0, .*; set checkpoint\.every/,
    );
  });

  it('of which there is none has no options', () => {
    const names = (sets: string[]) => resolve(smallest, sets).inert.map(({ path }) => path);
    expect(
      names(['monitor.onCollapse.change={ update.epochs: { to: 1 } }', 'monitor.maxRollBacks=2']),
    ).toEqual(expect.arrayContaining(['monitor.onCollapse.change', 'monitor.maxRollBacks']));
    expect(names(rollBack('{}', 'monitor.maxRollBacks=2'))).not.toContain('monitor.maxRollBacks');
  });
});
