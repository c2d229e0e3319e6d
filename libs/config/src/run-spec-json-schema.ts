import { runSpecSchema } from '@espalier/contracts';
import { inputSchema } from './problems.js';
import type { ConfigurablePlugin, PluginKind, PluginRegistry } from './registry.js';

type JsonSchema = Record<string, unknown>;

/**
 * Generates the JSON Schema of a run's YAML, with the options of every installed plugin beside its `use`,
 * for completion and checks in editors. Equal plugins give equal text.
 */
export function generateRunSpecSchema(registry: PluginRegistry): JsonSchema {
  const schema = structuredClone(inputSchema(runSpecSchema));
  const properties = schema['properties'] as Record<string, JsonSchema>;
  const of = (kind: PluginKind): readonly ConfigurablePlugin[] =>
    registry
      .list()
      .filter((plugin) => plugin.kind === kind)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  const { weight = {}, ...more } = (properties['rewards']?.['items'] as JsonSchema)['properties'] as Record<
    string,
    JsonSchema
  >;
  const { isolation = {}, callTimeoutMs = {} } = more;
  const place = { isolation, callTimeoutMs };
  const folder = {
    type: 'object',
    properties: { use: { type: 'string', pattern: '[/\\\\.]', description: 'folder of a model' } },
    required: ['use'],
    additionalProperties: false,
  };
  replace(
    properties,
    'environment',
    of('environment').map((plugin) => branch(plugin, place)),
  );
  replace(
    properties,
    'algorithm',
    of('algorithm').map((plugin) => branch(plugin)),
  );
  replace(properties, 'model', [...of('model').map((plugin) => branch(plugin)), folder]);
  const rewards = properties['rewards'];
  if (rewards !== undefined)
    rewards['items'] = { anyOf: of('reward').map((plugin) => branch(plugin, { weight, ...place })) };
  return { ...schema, $id: 'run-spec.schema.json', title: 'Run of Espalier' };
}

function replace(properties: Record<string, JsonSchema>, key: string, branches: readonly JsonSchema[]): void {
  const { description, default: standard } = properties[key] ?? {};
  properties[key] = {
    ...(description === undefined ? {} : { description }),
    ...(standard === undefined ? {} : { default: standard }),
    anyOf: branches,
  };
}

/** Schema of `use: id` with the options of that plugin. */
function branch(plugin: ConfigurablePlugin, extra: Record<string, JsonSchema> = {}): JsonSchema {
  const own = inputSchema(plugin.params);
  const properties = (own['properties'] as Record<string, JsonSchema> | undefined) ?? {};
  const required = (own['required'] as string[] | undefined) ?? [];
  return {
    type: 'object',
    description: plugin.summary,
    properties: { use: { const: plugin.id, description: plugin.summary }, ...extra, ...properties },
    required: ['use', ...required],
    additionalProperties: false,
  };
}
