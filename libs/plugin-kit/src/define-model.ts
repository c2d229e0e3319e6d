import { type Definition, kitVersion } from './definition.js';

/** A model that ships with its weights, as a folder in Hugging Face layout. */
export interface ModelDefinition<Params> extends Definition<'model', Params> {
  /** absolute path of the folder with config.json, tokenizer.json, model.safetensors */
  readonly folder: (params: Params) => string;
}

/** Declares a model. */
export function defineModel<Params>(
  definition: Omit<ModelDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): ModelDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'model' };
}
