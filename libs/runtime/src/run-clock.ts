/**
 * @file Seconds that all sessions of this process spent inside the runtime, as opposed to everything around it. For
 * benchmarks only; a run reports the time of its phases.
 */
let seconds = 0;
let runs = 0;

export const runClock = {
  /** Adds one run. */
  add(duration: number): void {
    seconds += duration;
    runs += 1;
  },
  /** Seconds and runs since the start of the process or the last `clear`. */
  read(): { readonly seconds: number; readonly runs: number } {
    return { seconds, runs };
  },
  clear(): void {
    seconds = 0;
    runs = 0;
  },
};
