import { AppError } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyOverrides, parseConfig, type PluginRegistry, resolveWarmStartSpec } from './index.js';

const grid = {
  kind: 'environment',
  id: 'grid',
  summary: 'a grid',
  params: z.strictObject({ size: z.int().min(2).default(6) }),
  presets: { large: { options: { size: 9 }, limits: { maxTurns: 3, maxActionsPerTurn: 5 } } },
};
const sprout = {
  kind: 'model',
  id: 'sprout',
  summary: 'a model',
  params: z.strictObject({ size: z.enum(['small', 'large']).default('small') }),
};
const registry: PluginRegistry = { list: () => [grid, sprout] };
const good = 'demonstrations: [{ environment: { use: grid }, noise: 0.1 }]\n';
const resolve = (text: string, sets: string[] = []) =>
  resolveWarmStartSpec(applyOverrides(parseConfig(text, 'w.yaml'), sets), registry).spec;

function failure(text: string, sets: string[] = []): string {
  try {
    resolve(text, sets);
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('resolveWarmStartSpec', () => {
  it('fills in the defaults of the core and of each environment', () => {
    const { demonstrations, model } = resolve(good, ['demonstrations.0.rollout.prompt.thinking=none']);
    expect(demonstrations[0]).toMatchObject({
      environment: { use: 'grid', size: 6 },
      rollout: { prompt: { thinking: 'none' }, maxResponseTokens: 64 },
    });
    expect(model).toMatchObject({ contextLength: 1024 });
  });

  it('takes options and limits from the preset of an environment, unless others are written', () => {
    const text = good.replace('grid', 'grid, preset: large');
    const [demonstration] = resolve(text, ['demonstrations.0.rollout.maxTurns=7']).demonstrations;
    expect(demonstration?.environment).toEqual({ use: 'grid', size: 9 });
    expect(demonstration?.rollout).toMatchObject({ maxTurns: 7, maxActionsPerTurn: 5 });
  });

  it('gives a pretrained student its own prompt and a smaller learning rate, unless others are written', () => {
    const existing = `${good}model: { path: ./models/smollm2 }\n`;
    const teach = (promptPreset: 'plain' | 'seedling', ...sets: string[]) =>
      resolveWarmStartSpec(applyOverrides(parseConfig(existing, 'w.yaml'), sets), registry, { promptPreset })
        .spec;
    const pretrained = teach('plain');
    expect(pretrained.optimizer.learningRate).toBe(5e-5);
    expect(pretrained.demonstrations[0]?.rollout.prompt).toEqual(resolvePrompt({ preset: 'plain' }));
    expect(teach('seedling').optimizer.learningRate).toBe(5e-4);
    expect(teach('seedling').demonstrations[0]?.rollout.prompt.preset).toBe('seedling');
    const path = 'demonstrations.0.rollout.prompt';
    const written = teach('plain', 'optimizer.learningRate=1e-3', `${path}.thinking=required`);
    expect(written.optimizer.learningRate).toBe(1e-3);
    expect(written.demonstrations[0]?.rollout.prompt).toEqual(
      resolvePrompt({ preset: 'plain', thinking: 'required' }),
    );
  });

  it('refuses parts of the think block, which oracles do not explain', () => {
    const set = 'demonstrations.0.rollout.prompt.thinkStyle=world-modelling';
    expect(() => resolve(good, [set])).toThrow(
      /thinkStyle: .* which has no parts as world-modelling demands; use free/,
    );
    expect(() => resolve(good, [set.replace('world-modelling', 'free')])).not.toThrow();
  });

  it.each([
    [
      'an unknown key',
      `${good}tokenz: 5\n`,
      'config.unknown_key: w.yaml:2:1: unknown key tokenz; did you mean tokens?',
    ],
    [
      'a wrong type',
      `${good}tokens: many\n`,
      'config.wrong_type: w.yaml:2:1: tokens is "many"; expected type number',
    ],
    [
      'a missing noise',
      'demonstrations: [{ environment: { use: grid } }]\n',
      'demonstrations.0.noise is missing',
    ],
    [
      'an unknown option of an environment',
      good.replace('grid', 'grid, sise: 3'),
      'unknown key demonstrations.0.environment.sise; did you mean size?',
    ],
    [
      'a plugin that is not installed',
      good.replace('grid', 'gird'),
      'plugin.not_found: w.yaml:1:35: no environment "gird"',
    ],
    [
      'heads that do not divide the width',
      `${good}model: { heads: 7 }\n`,
      'config.impossible_budget: w.yaml:2:10: model.heads 7',
    ],
    [
      'a base in fewer bits on a GPU',
      `${good}model: { path: ./models/a }\nlora: { baseDtype: int8 }\ndevice: { provider: cuda }\n`,
      'config.impossible_budget: w.yaml:3:9: lora.baseDtype int8: only the CPU computes with it',
    ],
  ])('rejects %s', (_what, text, sentence) => {
    expect(failure(text)).toContain(sentence);
  });

  it.each([
    [
      'a new model',
      'model: { contextLength: 512 }',
      {},
      'contextTokens 4000: the context length of the model is 512 tokens; choose at most that',
    ],
    [
      'an existing model',
      'model: { use: sprout }',
      { contextLength: 1024 },
      'contextTokens 4000: the context length of the model is 1024 tokens; choose at most that',
    ],
    [
      'a reply',
      'model: { use: sprout }',
      { contextLength: 4096 },
      'maxResponseTokens 4000: leaves no room for a prompt in 4000 tokens of context; lower it',
    ],
  ])('holds the context of a demonstration against %s', (_what, model, student, sentence) => {
    const rollout = 'rollout: { contextTokens: 4000, maxResponseTokens: 4000 }';
    const input = parseConfig(`${good.replace('noise: 0.1', `noise: 0.1, ${rollout}`)}${model}\n`, 'w.yaml');
    expect(() => resolveWarmStartSpec(input, registry, student)).toThrow(
      new RegExp(`^w\\.yaml:1:\\d+: demonstrations\\.0\\.rollout\\.${sentence}$`),
    );
  });

  it.each([
    'promptsPerStep: 2',
    'groupSize: 4',
    'temperature: 0.5',
    'formatPenalty: -1',
    'stopSequences: [x]',
  ])('rejects the rollout option %s, which does not apply to demonstrations', (option) => {
    const text = `demonstrations: [{ environment: { use: grid }, noise: 0.1, rollout: { ${option} } }]\n`;
    expect(failure(text)).toContain(`unknown key demonstrations.0.rollout.${option.split(':')[0]}`);
  });

  it.each(['sampling: int8', 'processorWatts: 5', 'boardWatts: 100', 'pricePerHour: 2'])(
    'rejects the device option %s, which does nothing in a warm start',
    (option) => {
      expect(failure(`${good}device: { ${option} }\n`)).toContain(
        `unknown key device.${option.split(':')[0]}`,
      );
    },
  );

  it('trains an existing model from a plugin or folder, with a lower learning rate', () => {
    const { model, optimizer } = resolve(`${good}model: { use: sprout }\n`);
    expect(model).toEqual({ use: 'sprout', size: 'small' });
    expect(resolve(`${good}model: { path: ./there }\n`).model).toEqual({ path: './there' });
    expect(optimizer.learningRate).toBe(5e-4);
    expect(resolve(good).optimizer.learningRate).toBe(1.5e-3);
  });

  it.each([
    ['model: { use: sprout, sise: small }', 'unknown key model.sise; did you mean size?'],
    ['model: { use: sprawt }', 'plugin.not_found: w.yaml:2:10: no model "sprawt" is installed'],
    ['model: { path: ./there, size: small }', 'unknown key model.size'],
    ['model: { layerz: 2 }', 'unknown key model.layerz; did you mean layers?'],
    ['from: ./there', 'unknown key from'],
    ['model: { path: ./there, hub: a/b }', 'path and hub name a model each; give exactly one of use'],
    [
      'model: { path: ./there, layers: 2 }',
      'config.impossible_budget: w.yaml:2:25: model.layers: the model "./there" already has a shape',
    ],
  ])('rejects %s', (line, sentence) => {
    expect(failure(`${good}${line}\n`)).toContain(sentence);
  });
});
