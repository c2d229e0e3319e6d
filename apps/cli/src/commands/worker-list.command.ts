/** @file `espalier worker list|drain|undrain|forget`: the workers that a server knows. */
import type { Worker } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findWorkerId, listWorkers } from '../remote/find-worker.js';
import { examples } from '../examples.js';
import { parseDuration } from '../parse-arguments.js';
import { formatDuration } from '../view/eta.js';

/** Adds `espalier worker list`, `drain`, `undrain` and `forget`. */
export function addWorkerListCommands(worker: Command, { console }: CommandContext): void {
  withConnection(worker.command('list'))
    .description('list the workers that a server knows, by name')
    .addHelpText('after', examples(['worker list --json', 'one object per line']))
    .action(async (_options: ConnectOptions, command: Command) => {
      const options = command.optsWithGlobals<ConnectOptions>();
      for (const one of await listWorkers(connect(options)))
        console.line(
          options.json === true ? JSON.stringify(one) : describe(one) + console.colors.dim(own(one)),
        );
    });
  withConnection(worker.command('forget <worker>'))
    .description(
      'remove a worker that is gone for good from the lists, by its name or id; needs an admin key',
    )
    .addHelpText(
      'after',
      `\nWhat it has done stays. A worker that is connected, or has work under way, is not forgotten.\n` +
        examples(['worker forget gpu-box-3', 'it will not come back']),
    )
    .action(async (word: string, _options: ConnectOptions, command: Command) => {
      const options = command.optsWithGlobals<ConnectOptions>();
      const client = connect(options);
      const gone = await client.workers.forget(await findWorkerId(client, word, 'forget'));
      print(console, gone, 'forgotten', options.json === true);
    });
  addDrainCommands(worker, console);
}

interface DrainOptions extends ConnectOptions {
  readonly deadline?: number;
}

function addDrainCommands(worker: Command, console: Console): void {
  withConnection(worker.command('drain <worker>'))
    .description('give a worker, by its name or id, no new jobs; needs an admin key')
    .option(
      '--deadline <duration>',
      'move its jobs to other workers: they save and stop, and are killed after this (90s, 10m, 2h)',
      parseDuration('--deadline'),
    )
    .addHelpText(
      'after',
      `\nWithout --deadline its jobs continue there. A job that is killed continues from its newest checkpoint.\n` +
        examples(['worker drain gpu-box-3 --deadline 10m', 'then the machine can be taken down']),
    )
    .action(async (word: string, _options: DrainOptions, command: Command) => {
      const options = command.optsWithGlobals<DrainOptions>();
      const client = connect(options);
      const { deadline } = options;
      const id = await findWorkerId(client, word, 'drain');
      const drained = await client.workers.drain(
        id,
        deadline === undefined ? {} : { deadlineSeconds: deadline },
      );
      const how =
        deadline === undefined
          ? 'its jobs continue'
          : `its jobs move within ${formatDuration(deadline * 1000)}`;
      print(console, drained, `drained; ${how}`, options.json === true);
    });
  withConnection(worker.command('undrain <worker>'))
    .description('give a drained worker, by its name or id, new jobs again; needs an admin key')
    .addHelpText('after', examples(['worker undrain gpu-box-3', 'it is back from maintenance']))
    .action(async (word: string, _options: ConnectOptions, command: Command) => {
      const options = command.optsWithGlobals<ConnectOptions>();
      const client = connect(options);
      const back = await client.workers.undrain(await findWorkerId(client, word, 'undrain'));
      print(console, back, 'gets new jobs', options.json === true);
    });
}

function print(console: Console, worker: Worker, what: string, isJson: boolean): void {
  console.line(isJson ? JSON.stringify(worker) : `worker ${worker.id}  ${clean(worker.name)}  ${what}`);
}

/** The plugins that are not part of Espalier: a run resumes only where they are unchanged. */
function own({ plugins }: Worker): string {
  const described = (plugins ?? []).map(({ kind, id, version }) => clean(`${kind} ${id} ${version}`));
  return described.length === 0 ? '' : `  with ${described.join(', ')}`;
}

function describe({ id, name, host, online, draining, lastSeenAt }: Worker): string {
  const seen = online ? 'online' : `seen ${formatDuration(Date.now() - Date.parse(lastSeenAt))} ago`;
  const cells = [id, (draining ? `${seen}, drained` : seen).padEnd(20), clean(host)];
  return `${cells.join('  ')}  ${clean(name)}`;
}
