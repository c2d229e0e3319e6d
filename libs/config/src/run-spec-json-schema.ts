import { continuedWarmStartSchema, runSpecSchema, warmStartSpecSchema } from '@espalier/contracts';
import { modelChoice } from '@espalier/contracts/model-choice';
import { inputSchema } from './problems.js';
import { presetNames } from './presets.js';
import type { ConfigurablePlugin, PluginKind, PluginRegistry } from './registry.js';

type JsonSchema = Record<string, unknown>;

/** The ways to name a model that are no plugin. */
function foundModels(): JsonSchema[] {
  const { path = {}, hub = {}, revision = {} } = propertiesOf(inputSchema(modelChoice));
  const one = (properties: Record<string, JsonSchema>, required: string): JsonSchema => ({
    type: 'object',
    properties,
    required: [required],
    additionalProperties: false,
  });
  return [one({ path }, 'path'), one({ hub, revision: { ...revision, default: 'main' } }, 'hub')];
}

const branches = (
  registry: PluginRegistry,
  kind: PluginKind,
  extra?: Record<string, JsonSchema>,
): JsonSchema[] =>
  registry
    .list()
    .filter((plugin) => plugin.kind === kind)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((plugin) => branch(plugin, extra));

const propertiesOf = (schema: JsonSchema | undefined): Record<string, JsonSchema> =>
  (schema?.['properties'] ?? {}) as Record<string, JsonSchema>;

/**
 * Generates the JSON Schema of a run spec for completion and validation in editors, with the options of every installed
 * plugin next to its `use`. Deterministic for a set of plugins.
 */
export function generateRunSpecSchema(registry: PluginRegistry): JsonSchema {
  const schema = structuredClone(inputSchema(runSpecSchema));
  const properties = propertiesOf(schema);
  const rewards = properties['rewards'];
  const { weight = {}, ...more } = propertiesOf(rewards?.['items'] as JsonSchema | undefined);
  const { isolation = {}, callTimeoutMs = {} } = more;
  const process = { isolation, callTimeoutMs };
  const environments = branches(registry, 'environment', process);
  const rewardBranches = branches(registry, 'reward', { weight, ...process });
  replace(properties, 'environment', environments);
  for (const tags of [properties['environments'], propertiesOf(properties['validation'])['environments']]) {
    const own = propertiesOf(tags?.['additionalProperties'] as JsonSchema | undefined);
    replace(own, 'environment', environments);
    if (own['algorithm'] !== undefined) replace(own, 'algorithm', branches(registry, 'algorithm'));
    if (own['rewards'] !== undefined) own['rewards']['items'] = { anyOf: rewardBranches };
  }
  replace(properties, 'algorithm', branches(registry, 'algorithm'));
  replace(properties, 'model', [...branches(registry, 'model'), ...foundModels()]);
  if (rewards !== undefined) rewards['items'] = { anyOf: rewardBranches };
  const oneOf = ['environment', 'environments'].map((key) => ({ required: [key] }));
  return { ...schema, oneOf, $id: 'run-spec.schema.json', title: 'Espalier run' };
}

/** Generates the JSON Schema of a warm start spec: a new model by its shape, or an existing one. */
export function generateWarmStartSchema(registry: PluginRegistry): JsonSchema {
  const schema = structuredClone(inputSchema(warmStartSpecSchema));
  const properties = propertiesOf(schema);
  const { description: _description, default: _default, ...shape } = properties['model'] ?? {};
  const { description } = propertiesOf(inputSchema(continuedWarmStartSchema))['model'] ?? {};
  const given = [...branches(registry, 'model'), ...foundModels()].map((one) => ({ ...one, description }));
  replace(properties, 'model', [{ ...shape, description: 'shape of a new model' }, ...given]);
  const optimizer = propertiesOf(properties['optimizer']);
  delete optimizer['learningRate']?.['default']; // which one applies depends on `model`
  delete properties['optimizer']?.['default'];
  replace(
    propertiesOf(properties['demonstrations']?.['items'] as JsonSchema | undefined),
    'environment',
    branches(registry, 'environment'),
  );
  return { ...schema, $id: 'warm-start.schema.json', title: 'Espalier warm start' };
}

function replace(properties: Record<string, JsonSchema>, key: string, branches: readonly JsonSchema[]): void {
  const { description, default: standard } = properties[key] ?? {};
  properties[key] = {
    ...(description === undefined ? {} : { description }),
    ...(standard === undefined ? {} : { default: standard }),
    anyOf: branches,
  };
}

/** The schema of `use: id` with the options of that plugin. */
function branch(plugin: ConfigurablePlugin, extra: Record<string, JsonSchema> = {}): JsonSchema {
  const own = inputSchema(plugin.params);
  const properties = (own['properties'] as Record<string, JsonSchema> | undefined) ?? {};
  const names = presetNames(plugin);
  const preset: Record<string, JsonSchema> =
    names.length === 0
      ? {}
      : { preset: { enum: names, description: 'options to start from; those written next to it win' } };
  const required = (own['required'] as string[] | undefined) ?? [];
  return {
    type: 'object',
    description: plugin.summary,
    properties: {
      use: { const: plugin.id, description: plugin.summary },
      ...preset,
      ...extra,
      ...properties,
    },
    required: ['use', ...required],
    additionalProperties: false,
  };
}
