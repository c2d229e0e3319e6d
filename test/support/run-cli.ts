import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command line; `npm run build` makes it. */
export const cliPath = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** variables on top of those of this process */
  readonly env?: Readonly<Record<string, string>>;
  /** called with everything on standard output so far; may send a signal */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** the same with everything on standard error */
  readonly onError?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** its reason is a signal, which is sent when it aborts */
  readonly signal?: AbortSignal;
  /** close standard output after the first chunk, as `head` does */
  readonly leavesEarly?: boolean;
}

/** Runs `espalier` in its own process, without a terminal. */
export function runCli(
  words: readonly string[],
  { cwd, input = '', env: more = {}, onOutput, onError, signal: stop, leavesEarly = false }: CliOptions = {},
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', ...more };
    const child = spawn(process.execPath, [cliPath, ...words], {
      env,
      ...(cwd === undefined ? {} : { cwd }),
    });
    stop?.addEventListener('abort', () => child.kill(stop.reason as NodeJS.Signals));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      onOutput?.(stdout, (signal) => child.kill(signal));
      if (leavesEarly) child.stdout.destroy();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      onError?.(stderr, (signal) => child.kill(signal));
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
