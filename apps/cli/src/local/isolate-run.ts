/** @file Opens the plugins of a planned run where its spec wants them to run. */
import type { RunSpec } from '@espalier/contracts';
import { type IsolatedPlugins, isolatePlugins, type IsolationChoice } from '@espalier/plugin-host';
import type { Registry } from '../workspace.js';

/** Lists where the environment and the rewards of a run run; what the spec leaves out is the registry's default. */
export function listPlaces({ environment, rewards }: RunSpec, registry: Registry): IsolationChoice[] {
  const place = (kind: IsolationChoice['kind'], chosen: RunSpec['environment']): IsolationChoice => ({
    kind,
    id: chosen.use,
    isolation: chosen.isolation ?? registry.isolation(kind, chosen.use),
    ...(chosen.callTimeoutMs === undefined ? {} : { callTimeoutMs: chosen.callTimeoutMs }),
  });
  return [place('environment', environment), ...rewards.map((reward) => place('reward', reward))];
}

/** Opens the plugins of a run; the caller disposes them. @throws what loading a package throws */
export async function isolateRun(spec: RunSpec, registry: Registry): Promise<IsolatedPlugins> {
  return isolatePlugins(registry, listPlaces(spec, registry));
}

/** Says in words where a plugin runs. */
export function describePlace({ kind, id, isolation, callTimeoutMs }: IsolationChoice): string {
  const where =
    isolation === 'process' ? `a process of its own, ${callTimeoutMs ?? 10_000} ms per call` : 'this process';
  return `${kind} ${id}: ${where}`;
}
