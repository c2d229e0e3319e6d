/** @file A registry of few plugins for tests of the configuration, and what most of them do with it. */
import { AppError } from '@espalier/contracts';
import { z } from 'zod';
import {
  applyOverrides,
  type ConfigurablePlugin,
  parseConfig,
  type PluginRegistry,
  resolveRunSpec,
} from '../index.js';

export const grid = {
  kind: 'environment',
  id: 'grid',
  summary: 'a grid',
  params: z.strictObject({
    size: z.int().min(2).default(6),
    start: z.strictObject({ row: z.int().default(0) }).prefault({}),
  }),
  limits: () => ({ maxTurns: 5, maxActions: 10, maxActionsPerTurn: 3 }),
};
const algorithm = (id: string, critic: boolean): ConfigurablePlugin =>
  ({
    kind: 'algorithm',
    id,
    summary: id,
    params: z.strictObject({
      clipRatio: z.number().default(0.2),
      kept: z.number().default(1),
      critics: z.int().optional(),
    }),
    needs: ({ critics = 1 }: { critics?: number }) => ({ critic, critics, reference: false }),
    minGroupSize: () => (critic ? 1 : 2),
    inert: (_: unknown, run: { optimizerStepsPerStep: number }) => [
      'kept',
      ...(run.optimizerStepsPerStep > 1 ? [] : ['clipRatio']),
    ],
    keptShare: (params: { kept: number }) => params.kept,
  }) as ConfigurablePlugin;
const reward = (id: string): ConfigurablePlugin => ({
  kind: 'reward',
  id,
  summary: id,
  params: z.strictObject({ slope: z.number().default(1) }),
});
const seedling = { kind: 'model', id: 'seedling', summary: 'small', params: z.strictObject({}) };
export const plugins = [
  grid,
  algorithm('ppo', true),
  algorithm('grpo', false),
  reward('environment-return'),
  reward('format'),
  seedling,
];
export const registry: PluginRegistry = { list: () => plugins };
export const limits = { contextLength: 1024, vocabularySize: 512, tokenizerVocabularySize: 512 };

/** The smallest configuration. */
export const smallest = 'environment: { use: grid }\nalgorithm: { use: grpo }\n';
/** Resolves a configuration with overrides. */
export const resolve = (text: string, sets: string[] = []) =>
  resolveRunSpec(applyOverrides(parseConfig(text, 'x.yaml'), sets), registry, () => ({ limits }));

/** The error that a call throws. */
export function failure(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
