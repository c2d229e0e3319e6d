import { type Definition, kitVersion } from './definition.js';

/** What a plan knows about the run that a model is chosen for. */
interface ModelTask {
  /** the environment with its options, defaults filled in */
  readonly environment: { readonly use: string; readonly [option: string]: unknown };
  readonly rollout: {
    readonly prompt: { readonly preset: string; readonly thinking: string; readonly thinkStyle?: string };
    readonly maxActionsPerTurn: number;
  };
}

/** A model that ships with its weights, as a folder in Hugging Face layout. */
export interface ModelDefinition<Params> extends Definition<'model', Params> {
  /** absolute path of the folder with config.json, tokenizer.json, model.safetensors */
  readonly folder: (params: Params) => string;
  /** what a run asks for that the model was not taught, one finding each; the plan adds what helps */
  readonly warnings?: (task: ModelTask) => readonly string[];
}

/** Declares a model. */
export function defineModel<Params>(
  definition: Omit<ModelDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): ModelDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'model' };
}
