/** @file `espalier launcher list|workers|stop`: what starts workers for a server, and what it has started. */
import type { Client } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean } from '../console.js';
import { examples } from '../examples.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { formatDuration } from '../view/eta.js';

type Launchers = Client['launchers'];
type Launcher = Awaited<ReturnType<Launchers['list']>>[number];
type LaunchedWorker = Awaited<ReturnType<Launchers['stop']>>;

interface WorkersOptions extends ConnectOptions {
  readonly ended?: boolean;
}

/** Adds `espalier launcher`. */
export function addLauncherCommand(program: Command, { console }: CommandContext): void {
  const launcher = program
    .command('launcher')
    .description(
      'what starts workers when jobs wait: processes, SSH, Slurm, Kubernetes (docs/use/launchers.md)',
    );
  withConnection(launcher.command('list'))
    .description('list the launchers in the settings of a server, and how they fare')
    .addHelpText('after', examples(['launcher list --json', 'one object per line']))
    .action(async (options: ConnectOptions) => {
      const found = await connect(options).launchers.list();
      for (const one of found)
        console.line(options.json === true ? JSON.stringify(one) : describeLauncher(one));
      if (found.length === 0 && options.json !== true)
        console.line(
          'this server has no launcher; add one to its settings (launchers in config/server.yaml)',
        );
    });
  withConnection(launcher.command('workers [launcher]'))
    .description('list the workers that launchers have started, newest first')
    .option('--ended', 'those that are over too, and why; they are listed for a week')
    .addHelpText(
      'after',
      examples(['launcher workers cluster-a --ended', 'what became of the jobs of this cluster']),
    )
    .action(async (name: string | undefined, options: WorkersOptions) => {
      const { launchers } = connect(options);
      const known = name === undefined ? [] : (await launchers.list()).map((one) => one.name);
      if (name !== undefined && !known.includes(name))
        throw new AppError(
          'cli.usage',
          `list workers of launcher "${name}": this server has no such launcher; it has ${known.join(', ') || 'none'}`,
        );
      let found = 0;
      let after: string | null = null;
      do {
        const filter = { ...(name === undefined ? {} : { launcher: name }), ended: options.ended === true };
        const page: Awaited<ReturnType<typeof launchers.workers>> = await launchers.workers({
          ...filter,
          first: 200,
          after,
        });
        for (const one of page.items)
          console.line(options.json === true ? JSON.stringify(one) : describeWorker(one));
        found += page.items.length;
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
      if (found === 0 && options.json !== true)
        console.note(
          options.ended === true
            ? 'note: no worker was launched in the last week'
            : 'note: no launched worker; --ended shows those that are over',
        );
    });
  withConnection(launcher.command('stop <worker>'))
    .description(
      'stop a launched worker, by its name: its jobs save and continue elsewhere; needs an admin key',
    )
    .addHelpText('after', examples(['launcher stop cluster-a-1f2e3d4c', 'frees its place in the cluster']))
    .action(async (name: string, options: ConnectOptions) => {
      const stopped = await connect(options).launchers.stop(name);
      console.line(options.json === true ? JSON.stringify(stopped) : `${describeWorker(stopped)}`);
    });
}

function describeLauncher(one: Launcher): string {
  const { name, driver, online, coming, leaving, minimum, maximum, deviceCount, deviceKind } = one;
  const has = `${deviceCount} ${deviceKind === 'gpu' ? 'GPU' : 'CPU slot'}${deviceCount === 1 ? '' : 's'} each`;
  const waits =
    one.backoffUntil === null
      ? ''
      : `, backs off for ${formatDuration(Math.max(0, Date.parse(one.backoffUntil) - Date.now()))}`;
  const problem = one.problem === '' ? '' : `: ${clean(one.problem)}`;
  return `${name}  ${driver}  ${online} online, ${coming} to come, ${leaving} leaving, of ${minimum} to ${maximum}; ${has}${waits}${problem}`;
}

function describeWorker({ name, state, reason, handle, project, createdAt }: LaunchedWorker): string {
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(createdAt)));
  const facts = [
    handle === null || handle === name ? '' : clean(handle),
    project === null ? '' : clean(project),
  ];
  const more = facts.filter((fact) => fact !== '').join('  ');
  return `${name}  ${state.padEnd(9)} ${age.padStart(8)}  ${more}${reason === '' ? '' : `  ${clean(reason)}`}`;
}
