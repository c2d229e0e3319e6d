import type { Console } from '../console.js';

/** Waits for Ctrl-C or a request to end, then stops; a second signal ends at once. */
export async function untilStopped(console: Console, stop: () => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  console.note('stopping; again to end at once');
  await stop();
}
