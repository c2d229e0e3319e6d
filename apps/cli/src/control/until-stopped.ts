import type { Console } from '../console.js';
import { listenForStop } from './stop-request.js';

/** Waits for Ctrl-C or a request to end, then stops; a second one ends at once. */
export async function untilStopped(console: Console, stop: () => Promise<void>): Promise<void> {
  const request = listenForStop();
  await request.asked;
  console.note('stopping; again to end at once');
  await stop();
  request.dispose();
}
