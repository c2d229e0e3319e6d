import type { PolicyEngine, RunSpec } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';

/** Opens the embedded engine on a model folder as the spec asks; the caller disposes it. */
export async function openEngine(
  folder: string,
  { device, update }: Pick<RunSpec, 'device' | 'update'>,
): Promise<PolicyEngine> {
  const { provider, threads } = device;
  return createEmbeddedEngine({
    ...{ folder, provider, microBatchTokens: update.microBatchTokens },
    ...(threads === undefined ? {} : { threads }),
  });
}
