import pc from 'picocolors';

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
  columns(): number;
  rows(): number;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Creates the console of this process. `NO_COLOR` turns colours off; `TERM=dumb` turns redrawing off. */
export function createProcessConsole(): Console {
  const { stdout, stderr, env } = process;
  const isInteractive = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const isPlain = (env['NO_COLOR'] ?? '') !== '';
  return {
    write: (text) => void stdout.write(text),
    line: (text = '') => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    isInteractive,
    columns: () => stdout.columns ?? 80,
    rows: () => stdout.rows ?? 24,
    colors: pc.createColors(isInteractive && !isPlain),
  };
}
