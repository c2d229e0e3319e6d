import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { describe, expect, it } from 'vitest';
import { applyOverrides, loadConfig, parseConfig, resolvePluginOptions, resolveRunSpec } from './index.js';
import { failure, limits, registry, resolve, smallest } from './testing/small-registry.js';

describe('resolveRunSpec', () => {
  it('leaves the default rewards as they are when one is set', () => {
    resolve(smallest, ['rewards.0.weight=5']);
    expect(resolve(smallest).spec.rewards[0]).toMatchObject({ weight: 1 });
  });

  it('fills core, plugin and model defaults and freezes all of it', () => {
    const { spec, sources } = resolve(smallest, ['steps=7', 'rewards.1.weight=0.5']);
    expect(spec.name).toBe('grid-grpo');
    expect(spec.environment).toEqual({ use: 'grid', size: 6, start: { row: 0 } });
    expect(spec.rollout).toMatchObject({
      maxTurns: 5,
      maxActions: 10,
      maxActionsPerTurn: 3,
      contextTokens: 1024,
    });
    expect(spec.rewards[1]).toEqual({ use: 'format', weight: 0.5, slope: 1 });
    expect(Object.isFrozen(spec.rollout)).toBe(true);
    expect(sources.get('steps')).toBe('--set');
    expect(sources.get('environment.use')).toBe('file');
    expect(sources.get('environment.size')).toBe('plugin default');
    expect(sources.get('rollout.maxTurns')).toBe('plugin default');
    expect(sources.get('rollout.promptsPerStep')).toBe('default');
    expect(sources.get('name')).toBe('derived');
  });

  it('averages tokens as the algorithm says, unless it is written', () => {
    const list = registry
      .list()
      .map((one) =>
        one.id === 'ppo' ? { ...one, lossAggregation: 'sequence-mean-constant' as const } : one,
      );
    const of = (...sets: string[]) => {
      const input = applyOverrides(parseConfig(smallest, 'x.yaml'), sets);
      const { spec, sources } = resolveRunSpec(input, { list: () => list });
      const { lossAggregation, lossConstant } = spec.update;
      return [lossAggregation, lossConstant, sources.get('update.lossAggregation')];
    };
    expect(of()).toEqual(['token-mean', undefined, 'derived']);
    expect(of('algorithm.use=ppo')).toEqual(['sequence-mean-constant', 5 * 64, 'derived']);
    // the algorithms of all tags, in place of the run's own
    const tagged = (...uses: string[]) => {
      const environments = uses.map(
        (use, n) => `t${n}: { environment: { use: grid }, algorithm: { use: ${use} }, groups: 4 }`,
      );
      const text = `algorithm: { use: grpo }\nenvironments: { ${environments.join(', ')} }\n`;
      return resolveRunSpec(parseConfig(text, 'x.yaml'), { list: () => list }).spec.update.lossAggregation;
    };
    expect(tagged('ppo', 'ppo')).toBe('sequence-mean-constant');
    expect(tagged('ppo', 'grpo')).toBe('token-mean');
    expect(of('algorithm.use=ppo', 'update.lossAggregation=token-mean')).toEqual([
      'token-mean',
      undefined,
      '--set',
    ]);
  });

  it('corrects for a sampler of another precision, unless it is written', () => {
    const of = (...sets: string[]) => {
      const { spec, sources } = resolve(smallest, sets);
      return [spec.update.samplerCorrection, sources.get('update.samplerCorrection.use')];
    };
    expect(of()).toEqual([{ use: 'off' }, 'derived']);
    expect(of('device.sampling=int8')).toEqual([{ use: 'truncated', maxRatio: 2 }, 'derived']);
    expect(of('device.precision=bf16')).toEqual([{ use: 'truncated', maxRatio: 2 }, 'derived']);
    // both in bf16, and rounded in other places
    expect(of('device.precision=bf16', 'device.sampling=bf16')[0]).toEqual({ use: 'truncated', maxRatio: 2 });
    expect(of('device.sampling=int8', 'update.samplerCorrection.use=off')).toEqual([{ use: 'off' }, '--set']);
    expect(of('update.samplerCorrection.use=icepop', 'update.samplerCorrection.maxRatio=4')).toEqual([
      { use: 'icepop', maxRatio: 4, minRatio: 0.5 },
      '--set',
    ]);
  });

  it.each(['webgpu', 'cuda'])('refuses to sample in int8 on %s', (provider) => {
    expect(
      failure(() => resolve(smallest, ['device.sampling=int8', `device.provider=${provider}`])).message,
    ).toContain('device.sampling int8: only the CPU samples in it; choose float32, or device.provider cpu');
  });

  it('samples in bf16 only beside training in bf16 on a CPU', () => {
    const refusal = (...sets: string[]) =>
      failure(() => resolve(smallest, ['device.sampling=bf16', ...sets])).message;
    expect(refusal()).toContain(
      'device.sampling bf16: it needs device.precision bf16, and that is float32; choose bf16 for both, or device.sampling float32',
    );
    expect(refusal('device.provider=cuda', 'device.precision=bf16')).toContain('only the CPU samples in it');
  });

  it('refuses a precision with choices that are not refused again', () => {
    const sets = ['device.driver=openvino', 'device.precision=tf32'];
    const refusal = failure(() => resolve(smallest, sets)).message;
    expect(refusal).toMatch(
      /choose device\.provider cuda without device\.driver, or device\.precision float32$/,
    );
    expect(() => resolve(smallest, ['device.provider=cuda', 'device.precision=tf32'])).not.toThrow();
    const native = ['device.driver=native', 'device.precision=tf32'];
    expect(failure(() => resolve(smallest, native)).message).toMatch(/choose device\.provider cuda, or/);
    expect(() => resolve(smallest, [...native, 'device.provider=cuda'])).not.toThrow();
  });

  it('names what the command line sets beside what the file says', () => {
    const written = `${smallest}device: { precision: bf16, sampling: bf16 }\n`;
    expect(failure(() => resolve(written, ['device.precision=float32'])).message).toMatch(
      /^x\.yaml:\d+:\d+, with --set device\.precision: device\.sampling bf16: it needs/,
    );
    expect(failure(() => resolve(written, ['device.driver=native'])).message).toMatch(
      /^x\.yaml:\d+:\d+, with --set device\.driver: device\.precision bf16: /,
    );
  });

  it('lowers the micro-batch where memory asks for it, unless it is written', () => {
    const resolveWith = (most: number, sets: readonly string[] = [], begunMicroBatch?: number) => {
      const fitMicroBatch = (wanted: number): number => Math.min(wanted, most);
      const input = applyOverrides(parseConfig(smallest, 'x.yaml'), sets);
      const { spec, sources } = resolveRunSpec(input, registry, () => ({
        limits,
        fitMicroBatch,
        begunMicroBatch,
      }));
      return [spec.update.microBatchTokens, sources.get('update.microBatchTokens')];
    };
    expect(resolveWith(65_536)).toEqual([2048, 'derived']);
    expect(resolveWith(512)).toEqual([512, 'memory']);
    expect(resolveWith(512, ['update.microBatchTokens=4096'])).toEqual([4096, '--set']);
    expect(resolveWith(512, [], 1024)).toEqual([1024, 'derived']);
  });

  it('has micro-batches of 2,048 tokens on a CPU, and of the whole context on a GPU', () => {
    const sizeOf = (...sets: string[]): number => {
      const input = applyOverrides(parseConfig(smallest, 'x.yaml'), sets);
      const long = { ...limits, contextLength: 8192 };
      return resolveRunSpec(input, registry, () => ({ limits: long })).spec.update.microBatchTokens;
    };
    expect(sizeOf()).toBe(2048);
    expect(sizeOf('device.provider=cuda')).toBe(8192);
    expect(sizeOf('device.provider=cuda', 'rollout.contextTokens=512')).toBe(2048);
  });

  it.each([
    ['my-run.yaml', 'my-run'],
    ['My Run_2.v3.yml', 'my-run-2-v3'],
    ['–.yaml', 'grid-grpo'],
  ])('names a run after its file by default: %s', (file, name) => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-names-'));
    try {
      writeFileSync(join(folder, file), smallest);
      const { spec, sources } = resolveRunSpec(loadConfig(join(folder, file)), registry, () => ({ limits }));
      expect([spec.name, sources.get('name')]).toEqual([
        name,
        name === 'grid-grpo' ? 'derived' : 'file name',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    [
      'environment: grid\nalgorithm: { use: grpo }\n',
      'x.yaml:1:1: environment is "grid"; write { use: grid }',
    ],
    [`${smallest}model: seedling\n`, 'x.yaml:3:1: model is "seedling"; write { use: seedling }'],
    [`${smallest}rewards: format\n`, 'x.yaml:3:1: rewards is "format"; write [{ use: format }]'],
    [`${smallest}rewards: [format]\n`, 'rewards.0 is "format"; write { use: format }'],
    [
      `${smallest}rollout: { contextTokens: 64 }\n`,
      'x.yaml:3:12: rollout.contextTokens 64: a reply may have 64 tokens (rollout.maxResponseTokens)',
    ],
  ])('states what to write instead of %j', (text, sentence) => {
    expect(failure(() => resolve(text)).message).toContain(sentence);
  });

  it('hashes settings independently of their order, and differs by seed', () => {
    const turned = resolve('algorithm: { use: grpo }\nseed: 0\nenvironment: { use: grid }\n');
    expect(turned.hash).toBe(resolve(smallest).hash);
    expect(resolve(smallest, ['seed=1']).hash).not.toBe(turned.hash);
  });

  it.each([
    ['stepz: 3', 'x.yaml:3:1: unknown key stepz; did you mean steps?'],
    ['rollout: { grupSize: 3 }', 'x.yaml:3:12: unknown key rollout.grupSize; did you mean groupSize?'],
    ['learningRate: 3', 'x.yaml:3:1: unknown key learningRate; did you mean optimizer.learningRate?'],
  ])('names the nearest key for %s', (line, message) => {
    const error = failure(() => resolve(`${smallest}${line}\n`));
    expect(error.code).toBe('config.unknown_key');
    expect(error.message).toBe(message);
  });

  it('names the nearest option of a plugin, including nested ones', () => {
    const error = failure(() =>
      resolve('environment: { use: grid, start: { rwo: 1 } }\nalgorithm: { use: grpo, clipRation: 1 }\n'),
    );
    expect(error.message).toContain('x.yaml:1:36: unknown key environment.start.rwo; did you mean row?');
    expect(error.message).toContain(
      'unknown key algorithm.clipRation; did you mean clipRatio? (options of algorithm grpo)',
    );
  });

  it('reports all wrong types at once, with the values found', () => {
    const error = failure(() =>
      resolve('environment: { use: grid, size: 1 }\nalgorithm: { use: grpo }\nsteps: many\n'),
    );
    expect(error.code).toBe('config.wrong_type');
    expect(error.message).toContain('x.yaml:3:1: steps is "many"; expected a whole number');
    expect(error.message).toContain('environment.size is 1; expected at least 2');
  });

  it('rejects an unknown path given on the command line', () => {
    const error = failure(() => resolve(smallest, ['rollout.groupSiz=3']));
    expect(error.message).toBe('--set: unknown key rollout.groupSiz; did you mean groupSize?');
  });

  it('names the nearest key and the valid keys when no key is close', () => {
    const error = failure(() => resolve(smallest, ['algorithm.clippingThreshold=1']));
    expect(error.message).toContain('the nearest is clipRatio; valid here: clipRatio, kept, critics, use');
    const alone = failure(() =>
      resolvePluginOptions(registry, 'environment', 'grid', { zzz: 1 }, '--params'),
    );
    expect(alone.message).toContain('valid here: size, start (options of environment grid)');
  });

  it.each(['.nan', '.inf', '-.inf'])('reports %s as it is', (value) => {
    const { message } = failure(() => resolve(smallest, [`rewards.0.weight=${value}`]));
    const shown = { '.nan': 'NaN', '.inf': 'Infinity', '-.inf': '-Infinity' }[value];
    expect(message).toBe(`--set: rewards.0.weight is ${shown}; expected a finite number`);
  });

  it('rejects a derived value', () => {
    expect(failure(() => resolve(`${smallest}derived: { episodes: 5 }\n`)).code).toBe('config.derived_key');
  });

  it('names installed plugins for a missing one', () => {
    const error = failure(() => resolve('environment: { use: gird }\nalgorithm: { use: grpo }\n'));
    expect(error.code).toBe('plugin.not_found');
    expect(error.message).toBe('x.yaml:1:16: no environment "gird" is installed; did you mean grid?');
    expect(failure(() => resolve(`${smallest}model: { use: whale }\n`)).message).toContain(
      'installed: seedling',
    );
  });

  it('names a model by a plugin, a folder or a repository', () => {
    const modelOf = (line: string) => resolve(`${smallest}${line}\n`).spec.model;
    expect(modelOf('')).toMatchObject({ use: 'seedling' });
    expect(modelOf('model: { path: ./m }')).toEqual({ path: './m' });
    expect(modelOf('model: { hub: a/b }')).toEqual({ hub: 'a/b', revision: 'main' });
    expect(modelOf('model: { hub: a/b, revision: refs/pr/1 }')).toEqual({
      hub: 'a/b',
      revision: 'refs/pr/1',
    });
  });

  it.each([
    [
      '{}',
      'model is {}; nothing names a model; give exactly one of use (a model plugin), path (a folder) and hub',
    ],
    ['{ use: seedling, path: ./m }', 'use and path name a model each; give exactly one of use'],
    ['{ use: ./m }', 'no model "./m" is installed; a folder is named by model: { path: ./m }'],
    [
      '{ path: ./m, revision: main }',
      'unknown key model.revision; the nearest is base; valid here: path, base',
    ],
    ['{ hub: a/b, revison: x }', 'unknown key model.revison; did you mean revision?'],
    ['{ hub: gpt2 }', 'model.hub is "gpt2"; expected owner/name, e.g. Qwen/'],
    ['{ hub: ../b }', 'model.hub is "../b"; expected owner/name'],
    ['{ hub: a/b, revision: ../../x }', 'model.revision is "../../x"; expected a branch, tag or commit'],
  ])('rejects the model %s', (model, message) => {
    expect(failure(() => resolve(`${smallest}model: ${model}\n`)).message).toContain(message);
  });

  it('takes the model of --set instead of one that is named in another way', () => {
    const input = parseConfig(`${smallest}model: { use: seedling }\n`, 'x.yaml');
    const { spec, sources } = resolveRunSpec(applyOverrides(input, ['model.path=./m']), registry);
    expect(spec.model).toEqual({ path: './m' });
    expect(sources.get('model.path')).toBe('--set');
  });

  it.each([
    ['{ use: seedling }', ['model.hub=a/b', 'model.revision=v1'], { hub: 'a/b', revision: 'v1' }],
    ['{ use: seedling }', ['model.revision=v1', 'model.hub=a/b'], { hub: 'a/b', revision: 'v1' }],
    ['{ hub: c/d, revision: v0 }', ['model.hub=a/b'], { hub: 'a/b', revision: 'main' }],
    ['{ hub: c/d, revision: v0 }', ['model.revision=v1', 'model.hub=a/b'], { hub: 'a/b', revision: 'v1' }],
    ['{ hub: a/b, revision: v0 }', ['model.hub=a/b'], { hub: 'a/b', revision: 'v0' }],
    ['{ hub: a/b, revision: v0 }', ['model.revision=v1'], { hub: 'a/b', revision: 'v1' }],
    ['{ use: seedling }', ['model.path=./m', 'model.hub=a/b'], { hub: 'a/b', revision: 'main' }],
    ['{ use: seedling }', ['model.hub=a/b', 'model={path: ./m}'], { path: './m' }],
    ['{ use: seedling }', ['model={path: ./m}', 'model.hub=a/b'], { hub: 'a/b', revision: 'main' }],
  ])('replaces the model %s by %j in any order', (model, sets, expected) => {
    const input = parseConfig(`${smallest}model: ${model}\n`, 'x.yaml');
    expect(resolveRunSpec(applyOverrides(input, sets), registry).spec.model).toEqual(expected);
  });

  it('reports a missing plugin together with all other problems of the file', () => {
    const text = 'environment: { use: gird, size: 3 }\nalgorithm: { use: grpo, clipRation: 1 }\nstepz: 3\n';
    const error = failure(() => resolve(text));
    expect(error.message.split('\n')).toEqual([
      'x.yaml:3:1: unknown key stepz; did you mean steps?',
      'x.yaml:1:16: no environment "gird" is installed; did you mean grid?',
      expect.stringContaining('unknown key algorithm.clipRation; did you mean clipRatio?'),
    ]);
    expect(error.details['problems']).toHaveLength(3);
  });

  it.each([
    [['update.miniBatches=3'], 'cannot be split evenly'],
    [['algorithm.kept=0.1'], 'keeps less than one group'],
    [['rollout.groupSize=1'], 'compares the trajectories of a group with each other; choose at least 2'],
    [['rollout.contextTokens=2048'], 'the context length of the model is 1024 tokens'],
    [['rollout.maxResponseTokens=1024'], 'leaves no room for a prompt'],
    [['update.lossMask={think: false, answer: false, control: false}'], 'no token is trained'],
    [['algorithm.use=ppo', 'update.criticWarmup=50'], 'the policy would never be trained'],
    [['lora.baseDtype=int4', 'device.provider=cuda'], 'only the CPU computes with it'],
    [['lora.baseDtype=int4', 'device.precision=bf16'], 'OpenVINO does not compute with it'],
    [['device.precision=bf16', 'device.driver=onnxruntime-node'], 'choose device.driver openvino'],
    [['device.precision=bf16', 'device.driver=native'], 'the driver native on cpu does not compute in it'],
    [['device.precision=tf32'], 'cpu does not compute in it; choose device.provider cuda'],
    [['device.precision=bf16', 'device.provider=webgpu'], 'webgpu does not compute in it'],
    [['device.driver=openvino', 'device.provider=cuda'], 'where the drivers are native'],
    [['device.driver=openvino', 'device.provider=webgpu'], 'leave device.driver out'],
  ])('rejects the impossible budget %j', (sets, sentence) => {
    const error = failure(() => resolve(smallest, sets));
    expect(error.code).toBe('config.impossible_budget');
    expect(error.message).toContain(sentence);
  });

  it('rejects a tokenizer with more ids than embedding rows', () => {
    const input = parseConfig(smallest, 'x.yaml');
    const error = failure(() =>
      resolveRunSpec(input, registry, () => ({ limits: { ...limits, tokenizerVocabularySize: 600 } })),
    );
    expect(error.code).toBe('config.impossible_budget');
    expect(error.message).toContain('ids up to 599 but its embedding has 512 rows');
  });

  it('takes the prompt that the model reads best, unless one is written', () => {
    const prompt = (sets: readonly string[], promptPreset?: 'plain') =>
      resolveRunSpec(applyOverrides(parseConfig(smallest, 'x.yaml'), sets), registry, () => ({
        limits: { ...limits, ...(promptPreset === undefined ? {} : { promptPreset }) },
      })).spec.rollout.prompt;
    expect(prompt([])).toEqual(resolvePrompt({ preset: 'seedling' }));
    expect(prompt([], 'plain')).toEqual(resolvePrompt({ preset: 'plain' }));
    expect(prompt(['rollout.prompt.system=Play.'], 'plain')).toEqual(
      resolvePrompt({ preset: 'plain', system: 'Play.' }),
    );
    expect(prompt(['rollout.prompt.preset=ragen'], 'plain').preset).toBe('ragen');
    // a spec that was resolved keeps its prompt with any model
    const { spec } = resolve(smallest);
    const stored = { ...parseConfig(smallest, 'x.yaml').value, rollout: spec.rollout };
    const again = resolveRunSpec(stored, registry, () => ({
      limits: { ...limits, promptPreset: 'plain' },
    }));
    expect(again.spec.rollout.prompt).toEqual(spec.rollout.prompt);
  });

  it('leaves the prompt of a folder that nobody has read to whoever opens the model', () => {
    const sets = ['model={ path: ./somewhere }', 'rollout.prompt.thinking=none'];
    const { rollout } = resolveRunSpec(applyOverrides(parseConfig(smallest, 'x.yaml'), sets), registry).spec;
    expect(rollout.prompt).toEqual({ thinking: 'none' });
  });

  it('accepts groups of one if the algorithm supports them', () => {
    expect(resolve(smallest, ['algorithm.use=ppo', 'rollout.groupSize=1']).spec.rollout.groupSize).toBe(1);
  });

  it('derives trajectories, mini-batches and optimizer steps', () => {
    const { spec, derived } = resolve(smallest, [
      'algorithm.kept=0.5',
      'update.miniBatches=4',
      'update.epochs=2',
      'steps=10',
    ]);
    expect(spec).not.toHaveProperty('derived');
    expect(derived).toEqual({
      trajectoriesPerStep: 128,
      keptGroupsPerStep: 4,
      trajectoriesPerMiniBatch: 16,
      optimizerStepsPerStep: 8,
      optimizerSteps: 80,
      episodes: 1280,
    });
  });
});
