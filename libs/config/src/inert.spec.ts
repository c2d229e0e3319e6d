import { describe, expect, it } from 'vitest';
import { applyOverrides, type ConfigurablePlugin, parseConfig, resolveRunSpec } from './index.js';
import { failure, grid, limits, plugins, resolve, smallest } from './testing/small-registry.js';

describe('options without effect', () => {
  it('lists options without effect and marks those set explicitly', () => {
    const { inert } = resolve(smallest, [
      'criticOptimizer.learningRate=1',
      'validation.temperature=0',
      'rollout.prompt.thinking=none',
    ]);
    expect(inert).toContainEqual({ path: 'criticOptimizer', reason: 'grpo has no critic', set: true });
    expect(inert.find(({ path }) => path === 'validation.topK')?.set).toBe(false);
    expect(inert.map(({ path }) => path)).toContain('update.lossMask.think');
    expect(resolve(smallest, ['algorithm.use=ppo']).inert.map(({ path }) => path)).not.toContain(
      'criticOptimizer',
    );
  });

  it('lists noise and options that an environment ignores, and topK beyond the vocabulary', () => {
    const still = {
      ...grid,
      reads: () => ({ noise: false, actions: 12 }),
      inert: (_: unknown, { maxActions }: { maxActions: number }) => (maxActions < 12 ? ['start'] : []),
    };
    const paths = (environment: ConfigurablePlugin, ...sets: string[]) =>
      resolveRunSpec(
        applyOverrides(parseConfig(smallest, 'x.yaml'), sets),
        { list: () => [environment, ...plugins.slice(1)] },
        () => ({ limits }),
      ).inert.flatMap(({ path, set }) => (set ? [path] : []));
    expect(paths(still, 'rollout.noiseSeed=per-group', 'environment.start.row=1')).toEqual([
      'environment.start',
      'rollout.noiseSeed',
    ]);
    expect(paths(still, 'rollout.maxActions=12', 'environment.start.row=1')).toEqual([]);
    expect(paths(grid, 'rollout.noiseSeed=per-group', 'rollout.topK=511', 'validation.topK=511')).toEqual([]);
    expect(paths(grid, 'rollout.topK=512', 'validation.topK=600')).toEqual([
      'rollout.topK',
      'validation.topK',
    ]);
    expect(failure(() => paths(still, 'rollout.maxActions=13')).message).toBe(
      '--set: rollout.maxActions 13: grid ends an episode after 12 actions with these options, but the prompt would promise more; choose at most 12',
    );
  });

  it('lists bounds of the sampler correction that its kind does not read', () => {
    const of = 'update.samplerCorrection';
    const paths = (...sets: string[]) =>
      resolve(smallest, sets).inert.flatMap(({ path, set }) => (set ? [path] : []));
    const int8 = 'device.sampling=int8';
    expect(paths(`${of}.maxRatio=3`, `${of}.minRatio=0.2`)).toEqual([`${of}.maxRatio`, `${of}.minRatio`]);
    const bounds = [`${of}.maxRatio=3`, `${of}.minRatio=0.2`];
    expect(paths(int8, `${of}.use=mask`, ...bounds)).toEqual([`${of}.minRatio`]);
    expect(paths(int8, `${of}.use=icepop`, ...bounds)).toEqual([]);
    // nothing to correct for
    expect(paths(`${of}.use=mask`)).toEqual([of]);
    // an older policy sampled
    expect(paths(`${of}.use=mask`, 'rollout.ahead=1')).toEqual([]);
    expect(paths(`${of}.use=mask`, 'update.replay={ groups: 2 }')).toEqual([]);
    expect(paths(int8)).toEqual([]);
  });

  it('lists what the device computes in where a server computes, and corrects for no sampler of it', () => {
    const engine = 'engine={use: tinker, url: "http://localhost:8000", model: small}';
    const device = ['device.sampling=int8', 'device.precision=bf16', 'device.driver=openvino'];
    const paths = (...sets: string[]) =>
      resolve(smallest, sets).inert.flatMap(({ path, set }) => (set ? [path] : []));
    expect(paths(engine, ...device).sort()).toEqual(device.map((one) => one.split('=')[0]).sort());
    expect(resolve(smallest, [engine, 'device.sampling=int8']).spec.update.samplerCorrection).toEqual({
      use: 'off',
    });
    // its sampler may differ from its trainer, whatever the device says
    expect(paths(engine, 'update.samplerCorrection.use=mask')).toEqual([]);
  });

  it('lists a context that holds every turn, and truncation where there is nothing to leave out', () => {
    const paths = (...sets: string[]) =>
      resolve(smallest, sets).inert.flatMap(({ path, set }) => (set ? [path] : []));
    const truncate = 'rollout.context.whenFull=truncate';
    expect(paths('rollout.maxTurns=4', 'rollout.context.turns=3', truncate)).toEqual([]);
    expect(paths('rollout.maxTurns=4', truncate)).toEqual([]);
    expect(paths('rollout.maxTurns=4', 'rollout.context.turns=4')).toEqual(['rollout.context.turns']);
    expect(paths('rollout.maxTurns=4', 'rollout.context.turns=1', truncate)).toEqual([
      'rollout.context.whenFull',
    ]);
    expect(paths('rollout.maxTurns=1', 'rollout.context.turns=2', truncate)).toEqual([
      'rollout.context.turns',
      'rollout.context.whenFull',
    ]);
    expect(failure(() => resolve(smallest, ['rollout.context.turns=0'])).message).toMatch(
      /rollout\.context\.turns/,
    );
  });

  it('says when normalising rewards changes nothing', () => {
    const paths = (...sets: string[]): string[] =>
      resolve(smallest, sets).inert.flatMap(({ path, set }) =>
        set && path.startsWith('update.rewardNormalization') ? [path] : [],
      );
    const state = 'update.rewardNormalization={ by: state }';
    expect(paths(state)).toEqual([]);
    expect(paths('update.rewardNormalization={ by: batch, method: identity }')).toEqual([
      'update.rewardNormalization.by',
    ]);
    const alone = ['algorithm.use=ppo', 'rollout.groupSize=1'];
    expect(paths(state, ...alone)).toEqual(['update.rewardNormalization']);
    expect(paths('update.rewardNormalization={ by: batch }', ...alone)).toEqual([]);
  });

  it('lists clipping as inert with one optimizer step per rollout', () => {
    const reasons = (...sets: string[]) =>
      new Map(resolve(smallest, sets).inert.map(({ path, reason }) => [path, reason]));
    expect(reasons().get('algorithm.clipRatio')).toContain('one optimizer step per rollout');
    expect(reasons().get('algorithm.kept')).toContain('the other options of grpo');
    for (const set of ['update.miniBatches=2', 'update.epochs=2']) {
      expect(reasons(set).has('algorithm.clipRatio')).toBe(false);
      expect(reasons(set).get('algorithm.kept')).toContain('the other options of grpo');
    }
  });

  it('does not list clipping where ratios differ from 1 in the first step', () => {
    const isInert = (...sets: string[]) =>
      resolve(smallest, sets).inert.some(({ path }) => path === 'algorithm.clipRatio');
    expect(isInert('lora={ rank: 2, dropout: 0.1 }')).toBe(false);
    expect(isInert('lora={ rank: 2 }')).toBe(true);
    // the server drops nothing
    const engine = 'engine={use: tinker, url: "http://localhost:8000", model: small}';
    expect(isInert('lora={ rank: 2, dropout: 0.1 }', engine)).toBe(true);
    expect(isInert('device.sampling=int8', 'update.samplerCorrection.use=off')).toBe(false);
    expect(isInert('device.precision=bf16', 'update.samplerCorrection.use=off')).toBe(false);
    // corrected for, ratios are to what the trainer computes itself
    expect(isInert('device.sampling=int8')).toBe(true);
    expect(isInert('update.replay={ groups: 1, capacity: 2 }')).toBe(false);
  });

  it('does not list the clipping of values where dropout moves them in the first step', () => {
    const bounded = {
      ...plugins.find(({ kind, id }) => kind === 'algorithm' && id === 'ppo'),
      inert: (_: unknown, { criticStepsPerStep }: { criticStepsPerStep: number }) =>
        criticStepsPerStep > 1 ? [] : ['kept'],
    } as ConfigurablePlugin;
    const isInert = (lora: string) =>
      resolveRunSpec(
        applyOverrides(parseConfig(smallest, 'x.yaml'), ['algorithm.use=ppo', `lora=${lora}`]),
        { list: () => [bounded, ...plugins.filter(({ id }) => id !== 'ppo')] },
        () => ({ limits }),
      ).inert.some(({ path }) => path === 'algorithm.kept');
    expect(isInert('{ rank: 2 }')).toBe(true);
    expect(isInert('{ rank: 2, dropout: 0.1 }')).toBe(false);
    // a value head has no adapters
    expect(isInert('{ rank: 2, dropout: 0.1, critic: head }')).toBe(true);
  });

  it('lists what concerns a critic as inert without one, and memory where nothing is remembered', () => {
    const paths = (...sets: string[]) =>
      resolve(smallest, sets).inert.flatMap(({ path, set }) => (set ? [path] : []));
    const memory = 'update.valueNormalization.memory=0.5';
    expect(paths('update.criticEpochs=2', 'update.criticMiniBatches=2', memory)).toEqual([
      'update.criticEpochs',
      'update.criticMiniBatches',
      'update.valueNormalization',
    ]);
    expect(paths('algorithm.use=ppo', 'update.criticEpochs=2', memory)).toEqual([
      'update.valueNormalization.memory',
    ]);
    expect(paths('algorithm.use=ppo', 'update.valueNormalization.use=running', memory)).toEqual([]);
  });

  it('lists a schedule as inert when the run ends during warm-up', () => {
    const paths = (...sets: string[]) =>
      resolve(smallest, ['steps=10', 'optimizer.schedule.kind=cosine', ...sets]).inert.map(
        ({ path }) => path,
      );
    expect(paths('optimizer.schedule.warmupSteps=10')).toEqual(
      expect.arrayContaining(['optimizer.schedule.kind', 'optimizer.schedule.finalRatio']),
    );
    expect(paths('optimizer.schedule.warmupSteps=9')).not.toContain('optimizer.schedule.kind');
    expect(paths('optimizer.schedule.warmupSteps=10', 'update.epochs=2')).not.toContain(
      'optimizer.schedule.finalRatio',
    );
  });

  it('lists the plan of every turn where the environment has none', () => {
    const paths = (reads?: () => { readonly plans?: boolean }) =>
      resolveRunSpec(
        applyOverrides(parseConfig(smallest, 'x.yaml'), ['rollout.plans=true']),
        { list: () => [{ ...grid, ...(reads && { reads }) }, ...plugins.slice(1)] },
        () => ({ limits }),
      ).inert.flatMap(({ path, set }) => (set ? [path] : []));
    expect(paths(() => ({ plans: false }))).toEqual(['rollout.plans']);
    expect(paths(() => ({}))).toEqual([]);
    expect(paths()).toEqual([]);
  });
});
