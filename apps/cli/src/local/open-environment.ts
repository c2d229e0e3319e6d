import { resolvePluginOptions } from '@espalier/config';
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import type { Registry } from '../workspace.js';

/** An environment with its options checked. */
export interface OpenedEnvironment {
  readonly definition: EnvironmentDefinition<unknown>;
  readonly params: unknown;
}

/** Finds an environment and checks `--params`. @throws plugin.not_found, config.unknown_key, config.wrong_type */
export function openEnvironment(
  id: string,
  params: Readonly<Record<string, unknown>>,
  registry: Registry,
): OpenedEnvironment {
  const definition = registry.get('environment', id);
  return { definition, params: resolvePluginOptions(registry, 'environment', id, params, '--params') };
}
