/** @file How a spec names an existing model: a plugin, a folder, or a repository of a model hub. */
import { z } from 'zod';

/** A model plugin; its options are written next to `use`. */
export interface PluginModel {
  readonly use: string;
  readonly [option: string]: unknown;
}

/** A folder in Hugging Face layout, a checkpoint or a run. */
export interface FolderModel {
  readonly path: string;
  /** what an adapter in `path` was trained on */
  readonly base?: ModelChoice;
}

/** A repository of a model hub. */
export interface HubModel {
  /** owner/name */
  readonly hub: string;
  /** branch, tag or commit; in the spec of a run that has started, the commit */
  readonly revision: string;
}

/** Exactly one of the ways to name an existing model. */
export type ModelChoice = PluginModel | FolderModel | HubModel;

/** The keys of which exactly one names a model. */
export const modelKeys = ['use', 'path', 'hub'] as const;

const repository = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;
const reference = /^(?!.*(?:\.\.|\/\/))[A-Za-z0-9][\w./-]{0,199}$/;

const written = z.looseObject({
  use: z.string().min(1).optional().describe('id of an installed model plugin'),
  path: z.string().min(1).optional().describe('folder of a model, a checkpoint or a run'),
  base: z
    .looseObject({})
    .optional()
    .describe(
      'model that the adapter in `path` was trained on, named like a model; default: that of the run that saved it',
    ),
  hub: z
    .string()
    .regex(repository, 'expected owner/name, e.g. Qwen/Qwen2.5-0.5B-Instruct')
    .optional()
    .describe('repository of a model hub, as owner/name'),
  revision: z
    .string()
    .regex(reference, 'expected a branch, tag or commit')
    .optional()
    .describe('branch, tag or commit of the repository; default: main'),
});

/** Reads `model: { use | path | hub }`. Options of a plugin are kept; other keys are kept for the caller to report. */
export const modelChoice: z.ZodType<ModelChoice, z.input<typeof written>> = written.transform(
  (model, context): ModelChoice => {
    const named = modelKeys.filter((key) => model[key] !== undefined);
    const [key, ...others] = named;
    if (key === undefined || others.length > 0) {
      const finding =
        key === undefined ? 'nothing names a model' : `${named.join(' and ')} name a model each`;
      context.addIssue({
        code: 'custom',
        message: `${finding}; give exactly one of use (a model plugin), path (a folder) and hub (owner/name, with an optional revision)`,
      });
      return z.NEVER;
    }
    if (model.hub !== undefined) return { ...model, hub: model.hub, revision: model.revision ?? 'main' };
    if (model.use !== undefined || model.base === undefined) return model as PluginModel | FolderModel;
    const base = modelChoice.safeParse(model.base);
    if (base.success) return { ...model, path: model.path ?? '', base: base.data };
    for (const { message, path } of base.error.issues)
      context.addIssue({ code: 'custom', message, path: ['base', ...path] });
    return z.NEVER;
  },
);

/** The name of a model in one line; on a command line it names the same model. */
export function describeModelChoice(model: ModelChoice): string {
  if ('use' in model) return model.use;
  return 'path' in model ? model.path : `hub:${model.hub}@${model.revision}`;
}

/** The whole model that adapters of a run with this model stand on. */
export const rootOf = (model: ModelChoice): ModelChoice =>
  !('use' in model) && 'path' in model && model.base !== undefined ? rootOf(model.base) : model;

/** Whether a part of a spec names an existing model; that of a warm start may be the shape of a new one. */
export const isModelChoice = (model: object): model is ModelChoice => modelKeys.some((key) => key in model);

/** Whether a model is one of a hub. */
export const isHubModel = (model: ModelChoice): model is HubModel => !('use' in model) && 'hub' in model;

/** The file of a model folder that tells what warm starts taught the model. */
export const taughtFile = 'warm-start.json';
