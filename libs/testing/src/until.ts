import { setTimeout as wait } from 'node:timers/promises';

/** Waits until something holds. @throws after `limitMs`, saying what was waited for */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s until ${what}`);
    await wait(10);
  }
}
