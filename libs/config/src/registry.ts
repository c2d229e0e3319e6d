/**
 * @file What resolving asks of the installed plugins: a structural type, so this library needs no plugin host.
 */
import type { AppError } from '@espalier/contracts';
import type { z } from 'zod';

export type PluginKind = 'environment' | 'reward' | 'algorithm' | 'model';

/** A definition as far as configuration reads it. */
export interface ConfigurablePlugin {
  readonly kind: string;
  readonly id: string;
  readonly summary: string;
  readonly params: z.ZodType;
}

export interface ConfigurableEnvironment extends ConfigurablePlugin {
  limits(params: unknown): {
    readonly maxTurns: number;
    readonly maxActions: number;
    readonly maxActionsPerTurn: number;
  };
  /** what of a run acts; what is left out is taken to act */
  reads?(params: unknown): { readonly noise?: boolean; readonly actions?: number };
  /** names of options that change nothing under these params and budgets */
  inert?(params: unknown, limits: ReturnType<ConfigurableEnvironment['limits']>): readonly string[];
}

export interface ConfigurableAlgorithm extends ConfigurablePlugin {
  needs(params: unknown): { readonly critic: boolean; readonly reference: boolean };
  keptShare(params: unknown): number;
  /** fewest attempts per group, for an algorithm that compares them; 1 when absent */
  minGroupSize?(params: unknown): number;
  /** names of options that change nothing under these params and in such a run */
  inert?(params: unknown, context: { readonly optimizerStepsPerStep: number }): readonly string[];
}

/** Lists installed plugins. */
export interface PluginRegistry {
  list(): readonly ConfigurablePlugin[];
  /** why a plugin that is not listed cannot be used, where one is there and broken */
  failure?(kind: PluginKind, id: string): AppError | undefined;
  /** where a plugin runs unless a run says otherwise; absent = `none` */
  isolation?(kind: PluginKind, id: string): 'none' | 'process';
}

/** What is known about the chosen model before anything is loaded. */
export interface ModelFacts {
  /** longest sequence in tokens */
  readonly contextLength: number;
  /** rows of the embedding */
  readonly vocabularySize: number;
  /** ids the tokenizer can give */
  readonly tokenizerVocabularySize?: number;
}
