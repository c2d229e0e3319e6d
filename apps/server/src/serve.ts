/** @file The server as a process of its own: what it prints, and how it ends. */
import type { ServerOptions } from './config/server-options.js';
import { PluginCatalogue } from './core/plugins/plugin-catalogue.service.js';
import { createLog, redirectConsole } from './logging/pino-logger.js';
import type { StartHooks } from './standby.js';
import { type RunningServer, startServer } from './start-server.js';

/**
 * Starts the server in a process that it may shape: what libraries print goes to its log, its plugins are loaded before
 * the first request needs them, and the process ends with 1 when another server has taken the database.
 *
 * @param report prints the reason
 */
export async function serve(
  options: ServerOptions,
  report: (text: string) => void,
  hooks: StartHooks = {},
): Promise<RunningServer> {
  redirectConsole(createLog(options));
  const server = await startServer(options, hooks);
  server.app.get(PluginCatalogue).preload();
  stopWhenLost(server, report);
  return server;
}

/** What the terminal shows after the start. */
export function describeStart({ url, firstKeys }: RunningServer): string {
  const lines = [`espalier server: ${url}`, `  explore: ${url}/graphiql and ${url}/docs`];
  if (firstKeys !== null)
    lines.push(
      '',
      '  keys of this server; they are shown this once:',
      ...Object.entries(firstKeys).map(([role, secret]) => `  ${role.padEnd(7)} ${String(secret)}`),
    );
  return `${lines.join('\n')}\n`;
}

function stopWhenLost(server: RunningServer, report: (text: string) => void): void {
  server.onLost((error) => {
    report(error.message);
    void server.close().finally(() => process.exit(1));
  });
}

/**
 * Stops the server at the first SIGINT or SIGTERM, everything in flight finished, and then ends the process with 0;
 * at the second it ends the process at once.
 */
export function stopOnSignals(server: RunningServer): void {
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
      server.close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`espalier server: stop: ${(error as Error).message}\n`);
          process.exit(1);
        },
      );
    });
  }
}
