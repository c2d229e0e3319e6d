import { describe, expect, it } from 'vitest';
import { failure, resolve, smallest } from './testing/small-registry.js';

const messageOf = (sets: string[], text = smallest): string => failure(() => resolve(text, sets)).message;
const two =
  'algorithm: { use: grpo }\nenvironments:\n  lake: { environment: { use: grid }, groups: 4 }\n  big: { environment: { use: grid }, groups: 4 }\n';

describe('the filter of a run', () => {
  it('is absent unless it is asked for, and complete then', () => {
    expect(resolve(smallest).spec.filter).toBeUndefined();
    expect(resolve(smallest, ['filter.kind=top-p', 'filter.value=0.9']).spec.filter).toEqual({
      kind: 'top-p',
      value: 0.9,
      zeros: 'drop',
      noiseSeeds: 0,
      lossScaling: 'none',
      reweight: 'none',
    });
  });

  it('tells the plan how many groups it keeps, where options say so', () => {
    const kept = (...sets: string[]) =>
      resolve(smallest, ['rollout.promptsPerStep=8', ...sets.map((set) => `filter.${set}`)]).derived
        .keptGroupsPerStep;
    expect(kept('kind=ratio', 'value=0.25')).toBe(2);
    expect(kept('kind=top-k', 'value=3')).toBe(3);
    expect(kept('kind=top-k', 'value=30')).toBe(8);
    expect(kept('kind=top-p', 'value=0.5')).toBe(8);
  });

  it('is among the options that change nothing where no step has a group to drop', () => {
    const inert = (text: string, ...sets: string[]) =>
      resolve(text, ['rollout.promptsPerStep=8', ...sets.map((set) => `filter.${set}`)])
        .inert.filter(({ path }) => path.startsWith('filter'))
        .map(({ path, reason }) => `${path}: ${reason}`);
    expect(inert(smallest, 'kind=top-k', 'value=100')).toEqual([
      'filter.value: a step has only 8 groups, so that all whose totals differ are kept',
    ]);
    expect(inert(smallest, 'kind=top-k', 'value=7')).toEqual([]);
    // groups without a difference are dropped, which is what such a filter is for
    for (const kind of ['ratio', 'top-p']) expect(inert(smallest, `kind=${kind}`, 'value=1')).toEqual([]);
    const keepingAll = { ratio: 1, 'top-k': 8, 'top-p': 1, 'top-p-softmax': 1, absolute: 0 };
    for (const [kind, value] of Object.entries(keepingAll))
      expect(inert(smallest, `kind=${kind}`, `value=${value}`, 'zeros=keep')).toEqual([
        `filter: with zeros: keep it keeps every group of a step; ${kind === 'absolute' ? 'raise' : 'lower'} filter.value`,
      ]);
    expect(inert(smallest, 'kind=ratio', 'value=1', 'zeros=keep', 'reweight=score')).toEqual([]);
    // each tag of a run has four groups
    expect(inert(two, 'kind=top-k', 'value=4')).toHaveLength(1);
    expect(inert(two, 'kind=top-k', 'value=3')).toEqual([]);
    expect(
      resolve(two, ['mixing.compare=together', 'filter.kind=top-k', 'filter.value=4']).inert.map(
        ({ path }) => path,
      ),
    ).not.toContain('filter.value');
  });

  it('may differ by tag', () => {
    const filter = ['filter.kind=ratio', 'filter.value=0.5'];
    const { derived, spec, hash } = resolve(two, [...filter, 'environments.big.select.filter.value=0.25']);
    expect(derived.tags?.map(({ keptGroupsPerStep }) => keptGroupsPerStep)).toEqual([2, 1]);
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
    expect(messageOf(['environments.big.select.filter.value=0.25'], two)).toContain(
      'environments.big.select.filter: the run has no filter of which a tag could have its own options',
    );
    expect(messageOf([...filter, 'environments.big.select.filter.value=2'], two)).toContain(
      'expected a number in (0, 1] with kind ratio',
    );
    expect(messageOf([...filter, 'environments.big.select.filter.valu=2'], two)).toContain(
      'unknown key environments.big.select.filter.valu; did you mean value?',
    );
    expect(
      messageOf([...filter, 'environments.big.select.filter.value=0.25', 'mixing.compare=together'], two),
    ).toContain('all tags share one choice of groups');
  });

  it.each<[string, string[], string]>([
    [
      'a share above 1',
      ['filter.kind=ratio', 'filter.value=2'],
      'expected a number in (0, 1] with kind ratio',
    ],
    ['half a group', ['filter.kind=top-k', 'filter.value=1.5'], 'expected an integer of at least 1'],
    [
      'one noise seed',
      ['filter.kind=ratio', 'filter.value=1', 'filter.noiseSeeds=1'],
      'expected 0 (off) or at least 2',
    ],
    [
      'groups of one',
      ['filter.kind=ratio', 'filter.value=1', 'rollout.groupSize=1', 'algorithm.use=ppo'],
      'one trajectory has nothing to differ from',
    ],
    [
      'two filters',
      ['filter.kind=top-p', 'filter.value=0.9', 'algorithm.kept=0.5'],
      'filter: grpo itself keeps only a share of the groups',
    ],
    [
      'noise that a group shares',
      ['filter.kind=ratio', 'filter.value=1', 'filter.noiseSeeds=4', 'rollout.noiseSeed=per-group'],
      'filter.noiseSeeds: rollout.noiseSeed is per-group',
    ],
    [
      'noise without a return',
      ['filter.kind=ratio', 'filter.value=1', 'filter.noiseSeeds=4', 'rewards=[{use: format}]'],
      'has no environment-return with a weight',
    ],
  ])('is refused with %s', (_, sets, message) => {
    expect(messageOf(sets)).toContain(message);
  });
});

describe('replacing dropped groups', () => {
  it('is off unless run or algorithm ask for it', () => {
    expect(resolve(smallest).spec.rollout.resample).toBeUndefined();
    expect(resolve(smallest, ['rollout.resample=2']).spec.rollout.resample).toBe(2);
  });

  it.each([
    [['filter.kind=top-p', 'filter.value=0.9'], 'filter.kind top-p ranks groups against each other'],
    [['filter.kind=ratio', 'filter.value=0.5'], 'filter.kind ratio ranks'],
    [['algorithm.kept=0.5'], 'grpo keeps only a share of the groups, so a batch would never be full'],
  ])('is refused where a batch would never be full: %s', (sets, message) => {
    expect(messageOf(['rollout.resample=2', ...sets])).toContain(message);
  });

  it('names the algorithm of the tag that it is about, where tags have their own', () => {
    const own = 'environments.big.algorithm={ use: ppo, kept: 0.5 }';
    expect(messageOf(['rollout.resample=2', own], two)).toContain(
      'rollout.resample 2: ppo (of big) keeps only a share',
    );
    expect(messageOf(['filter={ kind: top-p, value: 0.9 }', own], two)).toContain(
      'filter: ppo (of big) itself',
    );
  });

  it('is possible where each group is judged on its own', () => {
    for (const filter of [
      ['filter.kind=absolute', 'filter.value=0.2'],
      ['filter.kind=ratio', 'filter.value=1'],
    ])
      expect(resolve(smallest, ['rollout.resample=2', ...filter]).spec.rollout.resample).toBe(2);
  });
});
