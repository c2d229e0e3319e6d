import { setTimeout } from 'node:timers/promises';
import type { WorkerSettingsOrigin } from '@espalier/worker';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import { findKey } from '../remote/key-files.js';
import { validateSettings } from '../remote/validate-settings.js';
import { listenForStop, untilStopped } from '../remote/stop-request.js';
import { examples } from '../examples.js';
import { addWorkerDevicesCommand } from './worker-devices.command.js';
import { addWorkerListCommands } from './worker-list.command.js';

interface WorkerCommandOptions {
  readonly server?: string;
  readonly key?: string;
  readonly name?: string;
  readonly slots?: string;
  readonly data?: string;
  readonly config: string;
  readonly onStop?: string;
  readonly json?: boolean;
}

/** Adds `espalier worker`. */
export function addWorkerCommand(program: Command, context: CommandContext): void {
  const worker = program
    .command('worker')
    .description('run jobs of a server on this machine: one training process each')
    .option('--server <url>', 'the server (default: http://127.0.0.1:4500)')
    .option(
      '--key <key>',
      'a worker key; better given as ESPALIER__WORKER__KEY (default: data/worker.key, if this server has left it there)',
    )
    .option('--name <name>', 'unique among workers (default: the host’s name)')
    .option('--slots <number>', 'jobs at once on processors, where there is no GPU (default: 1)')
    .option('--data <folder>', 'folder of runs and of events not sent yet (default: worker)')
    .option('--config <file>', 'file of settings', 'config/worker.yaml')
    .addOption(
      new Option(
        '--on-stop <what>',
        'jobs when it stops: drain: they save, stop and continue elsewhere; leave: their processes keep running (default: drain)',
      ).choices(['drain', 'leave']),
    )
    .option('--json', 'print one line of JSON when it is connected')
    .addHelpText(
      'after',
      `\nGPUs are found through nvidia-smi. While the server is unreachable, training continues and its events are stored.\n` +
        `On Ctrl-C or SIGTERM it takes no new jobs; its jobs save and stop by the deadline (setting drainSeconds).\n` +
        examples([
          'worker --server http://10.0.0.5:4500 --slots 2',
          'two jobs at once, one half of the cores each',
        ]),
    )
    .action(async (options: WorkerCommandOptions) => runWorker(options, context));
  addWorkerListCommands(worker, context);
  addWorkerDevicesCommand(worker, context);
}

async function runWorker(
  { config, json, ...given }: WorkerCommandOptions,
  { console }: CommandContext,
): Promise<void> {
  validateSettings(config, 'config/worker.yaml');
  // from here on, because a worker that is not connected yet may have jobs of an earlier one
  const request = listenForStop();
  const { loadWorkerOptions, startWorker } = await import('@espalier/worker');
  const options = loadWorkerOptions(config, ...withOptions(given));
  const worker = await startWorker(options);
  // a program that started the worker informs people itself
  const stopped = untilStopped(console, () => worker.close(), { isTold: json !== true, request });
  while (!worker.isOnline() && !request.signal.aborted)
    await Promise.race([worker.ended, request.asked, setTimeout(50)]);
  if (!request.signal.aborted) {
    if (json === true) console.line(JSON.stringify({ name: options.name, server: options.server }));
    else console.line(`espalier worker  ${console.colors.bold(options.name)}  for ${String(options.server)}`);
  }
  await Promise.race([worker.ended, stopped]);
}

/** Options of the command line take the place of variables, and keep their names in messages. */
function withOptions(
  given: Readonly<Record<string, string | undefined>>,
): [env: Record<string, string | undefined>, origin: WorkerSettingsOrigin] {
  const variable = (name: string): string => `ESPALIER__WORKER__${name.toUpperCase()}`;
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const how = '--key or ESPALIER__WORKER__KEY';
  return [
    { ...process.env, ...Object.fromEntries(set.map(([name, value]) => [variable(name), value])) },
    {
      called: Object.fromEntries(set.map(([name]) => [variable(name), `--${name}`])),
      keyTo: (server) => findKey('worker', new URL(server), how),
    },
  ];
}
