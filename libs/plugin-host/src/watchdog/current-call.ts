/**
 * @file The plugin call that this thread is in, in memory shared with the watchdog: two writes per call. Only
 * synchronous code is tracked, because only that blocks signal handling.
 */

/** [index of the label + 1; 0 outside calls] and [calls so far], which shows the watchdog whether a call is still the same. */
const memory = new Int32Array(new SharedArrayBuffer(8));
const labels: string[] = [];
const indices = new Map<string, number>();
let announce: ((labels: readonly string[]) => void) | undefined;

/** Records the start of a call; returns the argument for {@link leaveCall}. */
export function enterCall(kind: string, id: string, hook: string): number {
  const label = `${kind} "${id}", hook "${hook}"`;
  let index = indices.get(label);
  if (index === undefined) {
    index = labels.push(label);
    indices.set(label, index);
    announce?.(labels);
  }
  const outer = memory[0] ?? 0;
  memory[0] = index;
  memory[1] = ((memory[1] ?? 0) + 1) | 0;
  return outer;
}

/** Records the return of a call to the one around it. */
export function leaveCall(outer: number): void {
  memory[0] = outer;
}

/** Returns the memory and reports every new label from now on. */
export function followCalls(onLabels: ((labels: readonly string[]) => void) | undefined): Int32Array {
  announce = onLabels;
  onLabels?.(labels);
  return memory;
}
