/**
 * @file Seconds spent inside the runtime by all sessions of this process: model arithmetic, as opposed to everything
 * around it. Read by benches only; a run's own time metrics are those of its phases.
 */
let seconds = 0;
let runs = 0;

export const runClock = {
  /** Counts one run. */
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
