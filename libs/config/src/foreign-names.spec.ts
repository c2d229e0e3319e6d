import { runSpecSchema } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { doublyNamed, pathsForForeign } from './foreign-names.js';
import { parseConfig } from './load-config.js';
import { allPaths, inputSchema } from './problems.js';
import { resolveRunSpec } from './resolve-run-spec.js';

const messageOf = (line: string, algorithm = 'none'): string => {
  const text = `environment: { use: none }\nalgorithm: { use: ${algorithm} }\n${line}\n`;
  const registry = { list: () => [], get: () => undefined as never };
  try {
    resolveRunSpec(parseConfig(text, 'x.yaml'), registry);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('option names of other trainers', () => {
  it('map to options that exist', () => {
    const known = new Set(allPaths(inputSchema(runSpecSchema)));
    expect(pathsForForeign().filter((path) => !known.has(path))).toEqual([]);
    expect(pathsForForeign().length).toBeGreaterThan(15);
  });

  it('have one remedy each', () => expect(doublyNamed()).toEqual([]));

  it.each([
    ['n_groups: [4, 4]', 'unknown key n_groups; groups per step are rollout.promptsPerStep'],
    ['peft_config: { r: 8 }', 'unknown key peft_config; adapters are a section: lora takes { rank, alpha,'],
    ['lora: { lora_alpha: 8 }', 'unknown key lora.lora_alpha; use lora.alpha instead'],
    ['contextWindow: 3', 'unknown key contextWindow; use rollout.context.turns instead'],
    ['context_window_mode: full', 'history is kept by number of turns: rollout.context.turns is all (full)'],
    ['max_new_tokens: 3', 'unknown key max_new_tokens; use rollout.maxResponseTokens instead'],
    ['model: { path: ./m, lora_rank: 3 }', 'unknown key model.lora_rank; use lora.rank instead'],
    ['rollout: { use_vllm: true }', 'unknown key rollout.use_vllm; other samplers are not supported'],
    ['precision: bf16', 'unknown key precision; use device.precision instead'],
    ['bf16: true', 'unknown key bf16; use device.precision instead'],
    ['dtype: bfloat16', 'unknown key dtype; use device.precision instead'],
    ['fp16: true', 'float16 training is not supported; device.precision takes float32, tf32 or bf16'],
    ['quantization: int4', 'unknown key quantization; use lora.baseDtype instead'],
    ['load_in_4bit: true', 'unknown key load_in_4bit; use lora.baseDtype instead'],
    ['gradient_checkpointing: true', 'unknown key gradient_checkpointing; use update.recompute instead'],
    ['stepz: 3', 'unknown key stepz; did you mean steps?'],
  ])('explains %s', (line, message) => expect(messageOf(line)).toContain(message));

  it.each([
    ['echo', 'set update.observationLoss.coefficient instead, which works beside any algorithm, e.g. grpo'],
    ['ECHO', 'set update.observationLoss.coefficient instead,'],
    ['sdpo', 'set update.selfDistillation.coefficient instead,'],
    ['sdar', 'set update.selfDistillation.coefficient instead,'],
    ['ecco', 'installed: none'],
  ])('explains the algorithm %s', (id, remedy) =>
    expect(messageOf('', id)).toContain(`no algorithm "${id}" is installed; ${remedy}`),
  );
});
