import { mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { type OpenedServer, openServer, type ServeOptions } from '../remote/open-server.js';
import { linkTo } from '../remote/page-link.js';
import { runAtStart } from '../remote/run-at-start.js';
import { type LocalWorker, startLocalWorker, type WorkerPlace } from '../remote/start-local-worker.js';
import { modelFoldersOf, readConfig } from '../remote/read-config.js';
import { listenForStop, type StopRequest } from '../remote/stop-request.js';
import { examples } from '../examples.js';
import { calledAs, collect } from '../parse-arguments.js';
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
      'start this run and show it live; without a terminal `up` ends with it, with its exit code',
    )
    .option('--set <path=value>', 'change an option of that configuration; repeatable', collect, [])
    .addHelpText(
      'after',
      `\nCtrl-C saves and stops training; the next \`up\` resumes it.\n` +
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
  const request = listenForStop();
  const opened = await openServer({ ...options, ownModels: [resolve('.')] }, console);
  const worker = await startWorkerOf(opened, { slots: options.slots }, console, request);
  if (options.json !== true) printLink(opened, '/', console);
  await request.asked;
  console.note(stopping);
  await stop(opened, worker);
  request.dispose();
}

const stopping = 'stopping: what is training is saved first; again to end at once';

/** Starts everything, then a run; stays up on a terminal. */
async function runAndStay(given: UpOptions & { readonly run: string }, console: Console): Promise<number> {
  // an unreadable one is reported before anything is created
  const ownModels = [resolve('.'), ...modelFoldersOf(readConfig(given.run, given.set))];
  const request = listenForStop();
  const options = await withFreePort(given);
  // lines of JSON would tear the live view apart
  process.env['ESPALIER__SERVER__LOGLEVEL'] ??= 'error';
  const opened = await openServer({ ...options, ownModels }, console);
  const path = join(opened.options.data, 'worker.log');
  mkdirSync(opened.options.data, { recursive: true });
  const place = { slots: options.slots, log: { path, file: openSync(path, 'a') } };
  const worker = await startWorkerOf(opened, place, console, request);
  try {
    const onRun = (id: string): void => {
      if (given.json !== true) printLink(opened, `/runs/${id}`, console);
    };
    const wish = { config: given.run, set: given.set, json: given.json === true, onRun };
    const { exitCode, runId } = await runAtStart(opened, wish, console, request.signal);
    if (!console.isInteractive || request.signal.aborted) return exitCode;
    printNextSteps(opened, runId, console);
    await request.asked;
    return exitCode;
  } finally {
    if (request.signal.aborted) console.note(stopping);
    await stop(opened, worker);
    request.dispose();
  }
}

/** If another server listens on the default port, picks a free port and a second data folder, unless both were given. */
async function withFreePort<Options extends ServeOptions>(options: Options): Promise<Options> {
  if (options.port !== undefined || process.env['ESPALIER__SERVER__PORT'] !== undefined) return options;
  if (!(await isPortTaken(4500, options.host ?? '127.0.0.1'))) return options;
  return { ...options, port: '0', data: options.data ?? join('data', 'secondary') };
}

/** A worker that cannot start takes the server with it. */
async function startWorkerOf(
  opened: OpenedServer,
  place: WorkerPlace,
  console: Console,
  request: StopRequest,
): Promise<LocalWorker> {
  return startLocalWorker(opened, place, console, request).catch(async (error: unknown) => {
    await opened.server.close();
    throw error;
  });
}

async function stop({ server }: OpenedServer, worker: LocalWorker): Promise<void> {
  await worker.close();
  await server.close();
}

/** One click opens the page signed in; a log that others read gets no key. */
function printLink(opened: OpenedServer, path: string, console: Console): void {
  console.line(`  dashboard   ${console.colors.bold(linkTo(opened, path, console.isInteractive))}`);
}

function printNextSteps({ server: { url } }: OpenedServer, runId: string, console: Console): void {
  const { bold, dim } = console.colors;
  console.line(`\nthe server stays up at ${bold(url)} until Ctrl-C; meanwhile, elsewhere:`);
  const at = new URL(url).port === '4500' ? '' : ` --server ${url}`;
  console.line(dim(`  ${calledAs()} run list${at}`));
  console.line(dim(`  ${calledAs()} run show ${runId}${at}`));
}

/** Whether a port of an address is taken. */
async function isPortTaken(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'EADDRINUSE'));
    probe.listen(port, host, () => probe.close(() => done(false)));
  });
}
