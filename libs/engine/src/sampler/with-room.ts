/**
 * @file What sampling does when memory runs out, in a run or for its cache: training keeps the memory of its last micro-batches
 * for the next ones, and gives it back. Where several processes share a GPU, nobody knows beforehand how much there is.
 */
import { hasCode } from '@espalier/contracts';

/** Does work that may be repeated, and a second time with room made for it when memory ran out. */
export async function withRoom<T>(
  makeRoom: (() => Promise<void>) | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (makeRoom === undefined || !hasCode(error, 'runtime.out_of_memory')) throw error;
    await makeRoom();
    return work();
  }
}
