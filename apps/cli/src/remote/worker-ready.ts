/** @file The first line of a worker that was started with `--json`: that it is connected, or why it is not. */
import type { ChildProcess } from 'node:child_process';

/** Resolves when the worker reports that it is connected. @throws with its reason, or how it ended without one */
export async function readReadyLine(child: Pick<ChildProcess, 'stdout' | 'once'>): Promise<void> {
  let said = '';
  return new Promise((ready, fail) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('\n') && reasonIn(said) === undefined) ready();
    });
    // `close` comes when all it said was read
    child.once('close', (code, signal) =>
      fail(
        new Error(
          reasonIn(said) ?? `it ended ${signal === null ? `with code ${String(code)}` : `by ${signal}`}`,
        ),
      ),
    );
  });
}

/** Why it failed, if it reports that. */
function reasonIn(said: string): string | undefined {
  try {
    const line = JSON.parse(said.slice(0, said.indexOf('\n'))) as {
      error?: { code: string; message: string };
    };
    return line.error === undefined ? undefined : `${line.error.code}: ${line.error.message}`;
  } catch {
    return undefined;
  }
}
