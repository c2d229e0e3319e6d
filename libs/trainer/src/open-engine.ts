import type { PolicyEngine, RunSpec } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';

/** Opens the embedded engine on a model folder as the spec asks; the caller disposes it. */
export async function openEngine(folder: string, spec: RunSpec): Promise<PolicyEngine> {
  return createEmbeddedEngine({
    folder,
    device: spec.device,
    microBatchTokens: spec.update.microBatchTokens,
  });
}
