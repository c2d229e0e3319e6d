import type { Console } from './console.js';

/** What every command gets. */
export interface CommandContext {
  readonly console: Console;
  /** Sets the exit code of a command that ended without an error. */
  readonly finish: (exitCode: number) => void;
}
