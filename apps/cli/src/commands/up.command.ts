import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { isPortTaken } from '../control/free-port.js';
import { type OpenedServer, openServer, type ServeOptions } from '../control/open-server.js';
import { runAtStart } from '../control/run-at-start.js';
import { type LocalWorker, startLocalWorker } from '../control/start-local-worker.js';
import { readConfig } from '../control/read-config.js';
import { untilStopped } from '../control/until-stopped.js';
import { examples } from '../examples.js';
import { collect } from '../parse-arguments.js';
import { withServerOptions } from './serve.command.js';

interface UpOptions extends ServeOptions {
  readonly slots: string;
  readonly run?: string;
  readonly set: readonly string[];
}

/** Adds `espalier up`. */
export function addUpCommand(program: Command, context: CommandContext): void {
  withServerOptions(program.command('up'))
    .description('start the server and a worker on this machine: all that one machine needs')
    .option('--slots <number>', 'jobs at once on processors, where there is no GPU', '1')
    .option(
      '--run <config>',
      'start this run and show it live; without a terminal all ends with it, with its exit code',
    )
    .option('--set <path=value>', 'change an option of that configuration; repeatable', collect, [])
    .addHelpText(
      'after',
      `\nCtrl-C saves and stops what is training; the next \`up\` goes on with it.\n` +
        examples(
          ['up', 'then: espalier run create config/runs/bandit-starpo-s.yaml --watch'],
          ['up --run config/runs/bandit-starpo-s.yaml', 'the quickstart: on another port if 4500 is taken'],
        ),
    )
    .action(async (options: UpOptions) => {
      if (options.run === undefined) await serveAndWork(options, context.console);
      else context.finish(await runAndStay({ ...options, run: options.run }, context.console));
    });
}

async function serveAndWork(options: UpOptions, console: Console): Promise<void> {
  if (console.isInteractive) {
    // people read here; programs get every line
    process.env['ESPALIER__SERVER__LOGLEVEL'] ??= 'warn';
    process.env['ESPALIER_LOG'] ??= 'warn';
  }
  const opened = await openServer(options, console);
  const worker = await startWorkerOf(opened, options.slots, console);
  await untilStopped(console, () => stop(opened, worker));
}

/** Starts everything, then a run; stays up on a terminal. */
async function runAndStay(given: UpOptions & { readonly run: string }, console: Console): Promise<number> {
  readConfig(given.run, given.set); // an unreadable one is told before anything is made
  const interrupt = catchSignals();
  const options = await besideOthers(given);
  // lines of JSON would tear the picture apart
  process.env['ESPALIER__SERVER__LOGLEVEL'] ??= 'error';
  const opened = await openServer(options, console);
  const log = join(opened.options.data, 'worker.log');
  mkdirSync(opened.options.data, { recursive: true });
  const worker = await startWorkerOf(opened, options.slots, console, log);
  try {
    const wish = { config: given.run, set: given.set, json: given.json === true };
    const { exitCode, runId } = await runAtStart(opened, wish, console, interrupt.signal);
    if (!console.isInteractive || interrupt.signal.aborted) return exitCode;
    sayWhatNext(opened, runId, console);
    await interrupt.caught;
    return exitCode;
  } finally {
    if (console.isInteractive) console.note('stopping; again to end at once');
    await stop(opened, worker);
    interrupt.dispose();
  }
}

/** Where a server listens on the port already, another port and another folder, unless they were named. */
async function besideOthers<Options extends ServeOptions>(options: Options): Promise<Options> {
  if (options.port !== undefined || process.env['ESPALIER__SERVER__PORT'] !== undefined) return options;
  if (!(await isPortTaken(4500, options.host ?? '127.0.0.1'))) return options;
  return { ...options, port: '0', data: options.data ?? join('data', 'beside') };
}

function catchSignals(): { signal: AbortSignal; caught: Promise<void>; dispose(): void } {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  const caught = new Promise<void>((done) =>
    controller.signal.addEventListener('abort', () => done(), { once: true }),
  );
  return {
    ...{ signal: controller.signal, caught },
    dispose: () => names.forEach((name) => process.off(name, onSignal)),
  };
}

/** A worker that cannot start takes the server with it. */
async function startWorkerOf(
  opened: OpenedServer,
  slots: string,
  console: Console,
  log?: string,
): Promise<LocalWorker> {
  const place = { slots, ...(log === undefined ? {} : { log: { path: log, file: openSync(log, 'a') } }) };
  return startLocalWorker(opened, place, console).catch(async (error: unknown) => {
    await opened.server.close();
    throw error;
  });
}

async function stop({ server }: OpenedServer, worker: LocalWorker): Promise<void> {
  await worker.close();
  await server.close();
}

function sayWhatNext({ server: { url } }: OpenedServer, runId: string, console: Console): void {
  const { bold, dim } = console.colors;
  console.line(`\nthe server stays up at ${bold(url)} until Ctrl-C; meanwhile, elsewhere:`);
  const at = new URL(url).port === '4500' ? '' : ` --server ${url}`;
  console.line(dim(`  npm run cli -- run list${at}`));
  console.line(dim(`  npm run cli -- run show ${runId}${at}`));
  console.line(dim(`  in a browser: ${url}/graphiql (GraphQL), ${url}/docs (REST)`));
}
