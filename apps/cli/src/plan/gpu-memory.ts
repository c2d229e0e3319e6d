/** @file The memory of the GPU that a run is planned for. */
import type { RunSpec } from '@espalier/contracts';
import { listCudaDevices } from '@espalier/runtime';

/** Bytes of the GPU that a run on cuda computes on, the first of those it may see; undefined where there is none. */
export async function findGpuBytes(
  { provider }: Pick<RunSpec['device'], 'provider'>,
  listDevices: () => Promise<readonly { readonly bytes: number }[]> = listCudaDevices,
): Promise<number | undefined> {
  return provider === 'cuda' ? (await listDevices())[0]?.bytes : undefined;
}
