/**
 * @file Which plugin call this thread is in, in memory that another thread reads: two writes a call. Only synchronous
 * code counts, as only that keeps the thread from hearing a signal.
 */

/** [place of the label, from 1; 0: in no call] and [calls so far], for the watchdog to see that one goes on. */
const memory = new Int32Array(new SharedArrayBuffer(8));
const labels: string[] = [];
const places = new Map<string, number>();
let announce: ((labels: readonly string[]) => void) | undefined;

/** Notes that a call begins; gives what to hand to {@link leaveCall}. */
export function enterCall(kind: string, id: string, hook: string): number {
  const label = `${kind} "${id}", hook "${hook}"`;
  let place = places.get(label);
  if (place === undefined) {
    place = labels.push(label);
    places.set(label, place);
    announce?.(labels);
  }
  const outer = memory[0] ?? 0;
  memory[0] = place;
  memory[1] = ((memory[1] ?? 0) + 1) | 0;
  return outer;
}

/** Notes that a call has returned to the one around it. */
export function leaveCall(outer: number): void {
  memory[0] = outer;
}

/** Gives the memory, and tells every new label from now on. */
export function followCalls(onLabels: ((labels: readonly string[]) => void) | undefined): Int32Array {
  announce = onLabels;
  onLabels?.(labels);
  return memory;
}
