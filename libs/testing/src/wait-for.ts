import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until a condition holds. @throws after `limitMs`, naming what it waited for */
export async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s until ${what}`);
    await sleep(10);
  }
}
