import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { listenForStop } from './stop-request.js';

/** Waits for Ctrl-C or a request to end, then stops; a second one ends at once. @param isTold to people, too */
export async function untilStopped(
  console: Console,
  stop: () => Promise<void>,
  { isTold = true }: { readonly isTold?: boolean } = {},
): Promise<void> {
  const request = listenForStop();
  await request.asked;
  if (isTold) console.note('stopping; again to end at once');
  try {
    await stop();
  } catch (error) {
    // what does not answer would keep this process alive
    console.note((error as Error).message);
    process.exit(exitCodes.failed);
  }
  request.dispose();
}
