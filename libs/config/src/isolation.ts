/** @file Where a plugin runs: keys next to `use` that belong to the core. */
import type { ChosenEnvironment } from '@espalier/contracts/mixing';
import type { PluginRegistry } from './registry.js';

/** Keys next to `use` that control where a plugin runs. */
export const isolationKeys = ['isolation', 'callTimeoutMs'];
const defaultCallTimeoutMs = 10_000;

type Isolation = Pick<ChosenEnvironment, 'isolation' | 'callTimeoutMs'>;

/** Isolation options of a plugin; empty when it runs in this process by default. */
export function isolationOf(
  kind: 'environment' | 'reward',
  { use, isolation: requested, callTimeoutMs }: Isolation & { readonly use: string },
  registry: PluginRegistry,
): Isolation {
  const isolation = requested ?? (registry.isolation?.(kind, use) === 'process' ? 'process' : undefined);
  const limit = callTimeoutMs ?? (isolation === 'process' ? defaultCallTimeoutMs : undefined);
  return {
    ...(isolation === undefined ? {} : { isolation }),
    ...(limit === undefined ? {} : { callTimeoutMs: limit }),
  };
}
