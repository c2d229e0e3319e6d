import pc from 'picocolors';
import { exitCodes } from './exit-codes.js';

/** Where a command reads and writes; handed in so that tests need no real terminal. */
export interface Console {
  /** writes to standard output as it is */
  write(text: string): void;
  /** writes a line to standard output */
  line(text?: string): void;
  /** writes a line to standard error */
  note(text: string): void;
  /** standard output is a terminal that can redraw */
  readonly isInteractive: boolean;
  /**
   * From now on a reader of the output that goes away (`| head`) only silences it; before, it ends the process,
   * as there is nothing else to do.
   */
  outliveReader(): void;
  columns(): number;
  rows(): number;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Replaces everything that a terminal could obey; texts come from people, models and servers. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trimEnd();
}

/** Creates the console of this process. `NO_COLOR` turns colours off; `TERM=dumb` turns redrawing off. */
export function createProcessConsole(): Console {
  const { stdout, stderr, env } = process;
  const isInteractive = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const isPlain = (env['NO_COLOR'] ?? '') !== '';
  const reader = watchReader();
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (!reader.gone.has(stream)) stream.write(text);
  };
  return {
    write: (text) => write(stdout, text),
    line: (text = '') => write(stdout, `${text}\n`),
    note: (text) => write(stderr, `${text}\n`),
    isInteractive,
    outliveReader: () => void (reader.isNeeded = false),
    columns: () => stdout.columns ?? 80,
    rows: () => stdout.rows ?? 24,
    colors: pc.createColors(isInteractive && !isPlain),
  };
}

/**
 * Notices that an output has lost its reader: EPIPE of a pipe, EIO of a terminal that was closed. A service also
 * outlives an output that takes nothing for a while, such as a file on a full disk.
 */
function watchReader(): { readonly gone: Set<NodeJS.WriteStream>; isNeeded: boolean } {
  const reader = { gone: new Set<NodeJS.WriteStream>(), isNeeded: true };
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') {
        if (reader.isNeeded) throw error;
        return;
      }
      if (reader.isNeeded && stream === process.stdout) process.exit(exitCodes.ok);
      reader.gone.add(stream);
    });
  }
  return reader;
}
