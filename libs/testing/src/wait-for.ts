import { setTimeout as sleep } from 'node:timers/promises';

/** Rests after each look at least so long, */
const leastMs = 20;
/** as many times as long as the look took, so that who looks leaves the processor to those it waits for, */
const rest = 16;
/** and never longer than this. */
const mostMs = 250;

/** Polls until a condition holds. @throws after `limitMs`, naming what it waited for */
export async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const begin = performance.now();
    if (await holds()) return;
    const now = performance.now();
    if (now > end) throw new Error(`waited ${limitMs / 1000} s until ${what}`);
    await sleep(Math.min(mostMs, Math.max(leastMs, rest * (now - begin))));
  }
}
