import { describeAlgorithms } from '@espalier/contracts/mixing';
import { describe, expect, it } from 'vitest';
import { failure, resolve } from './testing/small-registry.js';

const mixed = (own: string): string => `algorithm: { use: grpo }\nenvironments:\n${own}`;
const two = mixed('  lake: { environment: { use: grid } }\n  big: { environment: { use: grid, size: 9 } }\n');
const messageOf = (text: string, sets: string[] = []): string => failure(() => resolve(text, sets)).message;

describe('a run in several environments', () => {
  it('shares the groups evenly, and says what each tag has', () => {
    const { spec, derived } = resolve(two, ['rollout.promptsPerStep=5', 'rollout.groupSize=4']);
    expect(Object.keys(spec.environments ?? {})).toEqual(['lake', 'big']);
    expect([spec.environment, spec.mixing]).toEqual([undefined, { compare: 'per-tag' }]);
    expect(spec.environments?.['big']?.environment).toEqual({ use: 'grid', size: 9, start: { row: 0 } });
    expect(derived.tags).toEqual([
      { tag: 'lake', groups: 3, share: 0.6, trajectoriesPerStep: 12, keptGroupsPerStep: 3 },
      { tag: 'big', groups: 2, share: 0.4, trajectoriesPerStep: 8, keptGroupsPerStep: 2 },
    ]);
    expect([derived.trajectoriesPerStep, derived.keptGroupsPerStep]).toEqual([20, 5]);
  });

  it('shares by weight, rounded by largest remainders', () => {
    const { derived } = resolve(two, ['rollout.promptsPerStep=8', 'environments.big.weight=2.5']);
    expect(derived.tags?.map(({ groups }) => groups)).toEqual([2, 6]);
  });

  it('adds up groups where the number per step is not written', () => {
    const { spec, sources } = resolve(two, ['environments.lake.groups=3', 'environments.big.groups=4']);
    expect(spec.rollout.promptsPerStep).toBe(7);
    expect(sources.get('rollout.promptsPerStep')).toBe('derived');
    expect(sources.get('environments.lake.maxTurns')).toBe('plugin default');
    expect(sources.get('environments.lake.environment.size')).toBe('plugin default');
    expect(sources.get('environments.big.environment.size')).toBe('file');
  });

  it('takes a limit from the tag, else from the run, else from the environment', () => {
    const { spec } = resolve(two, ['rollout.maxActions=8', 'environments.big.maxTurns=9']);
    expect(spec.environments?.['lake']).toMatchObject({ maxTurns: 5, maxActionsPerTurn: 3 });
    expect(spec.environments?.['big']).toMatchObject({ maxTurns: 9 });
    expect(spec.environments?.['big']?.maxActions).toBeUndefined();
    expect(spec.rollout).toMatchObject({ maxTurns: 9, maxActions: 8 });
  });

  it('gives the same spec when it is resolved again', () => {
    const { spec, hash } = resolve(two, ['environments.big.maxTurns=9', 'environments.lake.weight=3']);
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
  });

  it('lets a tag have an algorithm of its own, with its options and its needs', () => {
    const { spec, sources, inert, hash } = resolve(two, [
      'environments.big.algorithm={ use: ppo, kept: 0.5 }',
      'rollout.promptsPerStep=4',
    ]);
    expect(spec.environments?.['big']?.algorithm).toEqual({ use: 'ppo', clipRatio: 0.2, kept: 0.5 });
    expect(spec.environments?.['lake']?.algorithm).toBeUndefined();
    expect(spec.algorithm.use).toBe('grpo');
    expect(describeAlgorithms(spec)).toBe('grpo + ppo (big)');
    expect(sources.get('environments.big.algorithm.clipRatio')).toBe('plugin default');
    expect(inert.map(({ path }) => path)).toContain('environments.big.algorithm.kept');
    // ppo has a critic
    expect(inert.map(({ path }) => path)).not.toContain('criticOptimizer');
    expect(resolve(JSON.stringify(spec)).hash).toBe(hash);
    const { derived } = resolve(two, [
      'environments.big.algorithm={ use: ppo, kept: 0.5 }',
      'rollout.promptsPerStep=4',
    ]);
    expect(derived.tags?.map(({ keptGroupsPerStep }) => keptGroupsPerStep)).toEqual([2, 1]);
  });

  it('says that the algorithm of the run learns nothing where every tag has its own', () => {
    const sets = ['environments.big.algorithm.use=ppo', 'environments.lake.algorithm.use=ppo'];
    expect(resolve(two, sets).inert).toContainEqual(
      expect.objectContaining({ path: 'algorithm', reason: 'every tag has its own' }),
    );
    // ppo takes groups of one, which grpo does not
    expect(() => resolve(two, [...sets, 'rollout.groupSize=1'])).not.toThrow();
    expect(messageOf(two, [sets[0] ?? '', 'rollout.groupSize=1'])).toContain('grpo compares');
  });

  it.each<[string[], string]>([
    [
      ['environments.big.algorithm.use=ppo', 'mixing.compare=together'],
      'environments.big.algorithm: mixing.compare is together, so one algorithm compares',
    ],
    [
      ['environments.big.algorithm={ use: ppo, clipRation: 1 }'],
      'unknown key environments.big.algorithm.clipRation; did you mean clipRatio?',
    ],
    [['environments.big.algorithm.use=pppo'], 'no algorithm "pppo" is installed; did you mean ppo?'],
    [
      ['environments.big.algorithm.use=ppo', 'environments.big.select.kept=0.5'],
      'big has an algorithm of its own; write its options there, environments.big.algorithm.kept',
    ],
  ])('refuses the algorithm of a tag: %j', (sets, message) => {
    expect(messageOf(two, sets)).toContain(message);
  });

  it('is another run in another order', () => {
    const turned = mixed(
      '  big: { environment: { use: grid, size: 9 } }\n  lake: { environment: { use: grid } }\n',
    );
    expect(resolve(turned).hash).not.toBe(resolve(two).hash);
  });

  it.each<[string[], string]>([
    [
      ['environments.lake.groups=3', 'environments.big.groups=4', 'rollout.promptsPerStep=8'],
      '--set: rollout.promptsPerStep 8: the tags have 3 + 4 = 7 groups; choose 7',
    ],
    [
      ['environments.lake.groups=3', 'environments.big.weight=2'],
      'environments.lake.groups 3 and environments.big.weight 2: groups are numbers, weights share what there is',
    ],
    [['environments.lake.groups=3'], 'environments.big has no groups, but environments.lake.groups 3'],
    [
      ['environments.big.weight=0.01'],
      'environments.big.weight 0.01: gets 0 of the 8 groups of rollout.promptsPerStep',
    ],
    [['environments.big.maxResponseTokens=2000'], 'environments.big.maxResponseTokens 2000: leaves no room'],
    [
      ['environments.big.environment.isolation=process'],
      'environments.big.environment: grid with isolation process, callTimeoutMs 10000, but environments.lake.environment has it with isolation none',
    ],
    [['environments.big.weigth=1'], 'unknown key environments.big.weigth; did you mean weight?'],
    [
      ['environments.big.environment.sise=7'],
      'unknown key environments.big.environment.sise; did you mean size?',
    ],
    [['environments.big.environment.use=gird'], 'no environment "gird" is installed; did you mean grid?'],
    [['environments.big.groups=1.5'], 'environments.big.groups is 1.5; expected a whole number'],
    [['environments.2.environment.use=grid'], 'expected a tag: a letter, then at most 39 letters'],
    [['environment.use=grid'], 'environment and environments are both set'],
    [
      ['environments.big.rewards=[{ use: format }, { use: format }]'],
      'reward format is listed twice; use one entry',
    ],
    [['environments.big.rewards=[{ use: format, weight: 0 }]'], 'every weight of big is 0'],
    [['environments.big.select.kept=0.5'], 'kept is no option with which grpo chooses groups; it has none'],
  ])('refuses %j', (sets, message) => expect(messageOf(two, sets)).toContain(message));

  it('needs an environment, and mixing needs several', () => {
    expect(messageOf('algorithm: { use: grpo }')).toContain('environment is missing; expected type object');
    expect(
      messageOf('environment: { use: grid }\nalgorithm: { use: grpo }\nmixing: { compare: together }'),
    ).toContain('mixing has an effect with `environments` only');
  });

  it('has at most twelve tags', () => {
    const tags = Array.from({ length: 13 }, (_, index) => `  t${index}: { environment: { use: grid } }\n`);
    expect(messageOf(mixed(tags.join('')), ['rollout.promptsPerStep=26'])).toContain(
      '13 tags are trained or validated; at most 12',
    );
  });

  it('reports what has no effect, once and not for each tag', () => {
    const own = '{ environment: { use: grid }, rewards: [{ use: format }], maxTurns: 4 }';
    const { inert } = resolve(mixed(`  lake: ${own}\n  big: ${own}\n`), [
      'rollout.maxTurns=9',
      'rewards.0.weight=2',
    ]);
    const paths = inert.filter(({ set }) => set).map(({ path }) => path);
    expect(paths).toEqual(['rollout.maxTurns', 'rewards']);
    const alone = resolve(mixed(`  lake: ${own}\n`), [
      'environments.lake.weight=2',
      'mixing.compare=together',
    ]);
    expect(alone.inert.filter(({ set }) => set).map(({ path }) => path)).toEqual([
      'environments.lake.weight',
      'mixing.compare',
    ]);
  });
});

describe('validation in several environments', () => {
  const one = 'environment: { use: grid }\nalgorithm: { use: grpo }\n';

  it('takes tags that are not trained, with limits of their own environment', () => {
    const { spec } = resolve(one, [
      'validation.environments.big={ environment: { use: grid, size: 9 }, episodes: 20 }',
    ]);
    expect(spec.validation.environments?.['big']).toEqual({
      environment: { use: 'grid', size: 9, start: { row: 0 } },
      episodes: 20,
      maxTurns: 5,
      maxActions: 10,
      maxActionsPerTurn: 3,
    });
  });

  it('refuses a tag that nothing has, and another environment for a trained one', () => {
    expect(messageOf(two, ['validation.environments.lace.episodes=9'])).toContain(
      'no trained environment has the tag lace; did you mean lake?',
    );
    expect(messageOf(two, ['validation.environments.lake.environment.use=grid'])).toContain(
      'lake is trained and validated in its own environment',
    );
    expect(messageOf(two, ['validation.environments.lake.episode=9'])).toContain(
      'unknown key validation.environments.lake.episode; did you mean episodes?',
    );
  });

  it('reports a section that changes nothing', () => {
    const { inert } = resolve(two, ['validation.environments.lake={}']);
    expect(inert.map(({ path }) => path)).toContain('validation.environments.lake');
  });
});
