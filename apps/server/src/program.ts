/**
 * @file The server program: reads its settings, starts, and reports why it cannot start. What serves is loaded once the settings
 * are good, by `require`, which reads some three thousand files in a row; `import` returns to the event loop between them and takes
 * an eighth more processor time.
 */
import { createRequire } from 'node:module';
import { resolveDeployment } from '@espalier/config/plain';
import { isAppError } from '@espalier/contracts';
import { serverOptions } from './config/server-options.js';
import type * as Serve from './serve.js';

/** Runs the server until a signal ends it; a start that fails ends the process with 1. */
export async function runServer(): Promise<void> {
  surviveLostOutput();
  try {
    const options = resolveDeployment(serverOptions, 'config/server.yaml', process.env, 'ESPALIER__SERVER');
    const { describeStart, serve, stopOnSignals } = createRequire(import.meta.url)(
      './serve.js',
    ) as typeof Serve;
    const server = await serve(options, (text) => process.stderr.write(`espalier server: ${text}\n`), {
      onStandby: ({ address }) => process.stderr.write(`espalier server: stands by; ${address} serves\n`),
    });
    stopOnSignals(server);
    process.stdout.write(describeStart(server), (failure) => {
      if (!failure) server.markKeysReported();
    });
  } catch (error) {
    const isSystem = error instanceof Error && /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '');
    const text =
      isAppError(error) || isSystem ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`espalier server: ${text}\n`);
    process.exit(1);
  }
}

/** Ignores output errors, such as a closed pipe or a full disk. */
function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
