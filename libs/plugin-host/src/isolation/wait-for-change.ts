/**
 * Blocks this thread until a shared counter no longer has a value; false after `limitMs`. A wait may end although nothing
 * changed: who counts notifies afterwards, and a thread that saw the count by itself is by then waiting for the next one.
 */
export function waitForChange(counter: Int32Array, before: number, limitMs: number): boolean {
  const deadline = performance.now() + limitMs;
  while (Atomics.load(counter, 0) === before) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    Atomics.wait(counter, 0, before, left);
  }
  return true;
}
