/** @file The memory of the GPU that a run is planned for. */
import type { RunSpec } from '@espalier/contracts';
import { askProbe } from '../local/ask-probe.js';

/** Bytes of the GPU that a run on cuda computes on, the first of those it may see; undefined where none is found. */
export async function findGpuBytes(
  { provider }: Pick<RunSpec['device'], 'provider'>,
  askForGpus: () => ReturnType<typeof askProbe<'gpus'>> = () => askProbe('gpus'),
): Promise<number | undefined> {
  if (provider !== 'cuda') return undefined;
  const probed = await askForGpus();
  return 'answer' in probed ? probed.answer[0]?.bytes : undefined;
}
