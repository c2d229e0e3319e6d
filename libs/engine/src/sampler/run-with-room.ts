/**
 * @file What sampling does when memory runs out: training keeps the memory of its last micro-batches for the next ones, and gives it
 * back. Where several processes share a GPU, nobody knows beforehand how much there is.
 */
import { hasCode } from '@espalier/contracts';
import type { RuntimeTensor, Session } from '@espalier/runtime';

/** Runs a session, and a second time with room made for it when memory ran out. */
export async function runWithRoom(
  session: Pick<Session, 'run'>,
  feeds: Parameters<Session['run']>[0],
  targets: Parameters<Session['run']>[1],
  makeRoom: (() => Promise<void>) | undefined,
): Promise<Record<string, RuntimeTensor>> {
  try {
    return await session.run(feeds, targets);
  } catch (error) {
    if (makeRoom === undefined || !hasCode(error, 'runtime.out_of_memory')) throw error;
    await makeRoom();
    return session.run(feeds, targets);
  }
}
