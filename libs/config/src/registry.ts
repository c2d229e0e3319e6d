/**
 * @file The plugin interface that configuration needs: a structural type, so this library does not depend on the plugin host.
 */
import type { AppError, RunSpec } from '@espalier/contracts';
import type { PromptPreset } from '@espalier/contracts/prompt-format';
import type { z } from 'zod';

export type PluginKind = 'environment' | 'reward' | 'algorithm' | 'model';

/** The parts of a definition that configuration reads. */
export interface ConfigurablePlugin {
  readonly kind: string;
  readonly id: string;
  readonly summary: string;
  readonly params: z.ZodType;
}

interface EpisodeLimits {
  readonly maxTurns: number;
  readonly maxActions: number;
  readonly maxActionsPerTurn: number;
}

export interface ConfigurableEnvironment extends ConfigurablePlugin {
  limits(params: unknown): EpisodeLimits;
  /** sets of options, and limits, that a configuration chooses by name */
  readonly presets?: Readonly<
    Record<
      string,
      { readonly options: Readonly<Record<string, unknown>>; readonly limits?: Partial<EpisodeLimits> }
    >
  >;
  /** which run settings have an effect; those left out do */
  reads?(params: unknown): { readonly noise?: boolean; readonly actions?: number; readonly plans?: boolean };
  /** its episodes are played by a program, not turn by turn */
  agent?(params: unknown): unknown;
  /** names of options without effect under these params and limits */
  inert?(params: unknown, limits: EpisodeLimits): readonly string[];
}

export interface ConfigurableAlgorithm extends ConfigurablePlugin {
  needs(params: unknown): {
    readonly critic: boolean;
    /** with a critic: how many; default 1 */
    readonly critics?: number;
    readonly reference: boolean;
    readonly greedyBaseline?: boolean;
    readonly turnRewards?: boolean;
    readonly replay?: boolean;
  };
  keptShare(params: unknown): number;
  /** the columns that its policy loss reads */
  policyLoss?(params: unknown): { readonly columns: readonly string[] };
  /** smallest supported group size; default 1 */
  minGroupSize?(params: unknown): number;
  /** how often dropped groups are replaced where the run does not say; default 0 */
  resample?(params: unknown): number;
  /** how losses of tokens become one number where the run does not say; default token-mean */
  readonly lossAggregation?: RunSpec['update']['lossAggregation'];
  /** names of the options with which it chooses groups, and which a tag may have of its own */
  readonly selectOptions?: readonly string[];
  /** names of options without effect under these params and in this context */
  inert?(
    params: unknown,
    context: { readonly optimizerStepsPerStep: number; readonly criticStepsPerStep: number },
  ): readonly string[];
}

/** Lists installed plugins. */
export interface PluginRegistry {
  list(): readonly ConfigurablePlugin[];
  /** the error of a plugin that is installed but broken */
  failure?(kind: PluginKind, id: string): AppError | undefined;
  /** where a plugin runs unless the spec overrides it; default `none` */
  isolation?(kind: PluginKind, id: string): 'none' | 'process';
}

/** Limits of a model that are known before it is loaded. */
export interface ModelLimits {
  /** maximum sequence length in tokens */
  readonly contextLength: number;
  /** rows of the embedding */
  readonly vocabularySize: number;
  /** rows of the embedding that the tokenizer needs */
  readonly tokenizerVocabularySize?: number;
  /** the prompt that the model reads best; default: `seedling` */
  readonly promptPreset?: PromptPreset;
  /** what is wrong with adapters on this model: the option, and a sentence that ends with the remedy */
  findLoraProblem?(lora: {
    readonly rank: number;
    readonly targets: 'all-linear' | readonly string[];
  }): readonly [option: string, sentence: string] | undefined;
}
