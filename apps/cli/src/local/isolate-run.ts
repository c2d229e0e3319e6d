/** @file Opens the plugins of a planned run where its spec wants them to run. */
import type { RunSpec } from '@espalier/contracts';
import { type ChosenEnvironment, listEnvironments } from '@espalier/contracts/mixing';
import { type IsolatedPlugins, isolatePlugins, type IsolationChoice } from '@espalier/plugin-host';
import type { Registry } from '../workspace.js';

/** Lists where the environments and the rewards of a run run; what the spec leaves out is the registry's default. */
export function listPlaces(spec: RunSpec, registry: Registry): IsolationChoice[] {
  const isAgent = (kind: string, id: string): boolean =>
    kind === 'environment' && registry.get('environment', id).agent !== undefined;
  const place = (kind: IsolationChoice['kind'], chosen: ChosenEnvironment): IsolationChoice => ({
    kind,
    id: chosen.use,
    // the program of an agent has a process of its own
    isolation: isAgent(kind, chosen.use)
      ? 'none'
      : (chosen.isolation ?? registry.isolation(kind, chosen.use)),
    ...(chosen.callTimeoutMs === undefined ? {} : { callTimeoutMs: chosen.callTimeoutMs }),
  });
  const environments = listEnvironments(spec).map((one) => one.spec);
  const places = [
    ...environments.map(({ environment }) => place('environment', environment)),
    ...environments.flatMap(({ rewards }) => rewards.map((reward) => place('reward', reward))),
  ];
  // environments of several tags, and rewards that they share, are opened once
  return places.filter(
    ({ kind, id }, at) => places.findIndex((one) => one.kind === kind && one.id === id) === at,
  );
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
