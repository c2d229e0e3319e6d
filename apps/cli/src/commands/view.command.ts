import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { examples } from '../examples.js';
import { isRunFolder } from '../local/recorded-run.js';
import { type OpenedServer, openServer } from '../remote/open-server.js';
import { linkTo } from '../remote/page-link.js';
import { listenForStop, type StopRequest } from '../remote/stop-request.js';

interface ViewOptions {
  readonly port: string;
  readonly json?: boolean;
}

/** Adds `espalier view`. */
export function addViewCommand(program: Command, { console }: CommandContext): void {
  program
    .command('view <runs...>')
    .description('open the page of a server on run folders of this machine, read-only; nothing of it stays')
    .option('--port <number>', 'port on the loopback address; 0: a free one', '0')
    .option('--json', 'print the address, the runs and a key as one JSON object, once the page is there')
    .addHelpText(
      'after',
      `\nThe folders are read once, at the start, into a temporary database that goes with the command; no key, setting or\n` +
        `data of a server on this machine is used. Ctrl-C ends it.\n` +
        examples(
          ['view runs/bandit-starpo-s-1', 'its curves, trajectories and tokens in a browser'],
          ['view runs/*', 'several, to compare them'],
        ),
    )
    .action(async (folders: string[], options: ViewOptions) => view(folders, options, console));
}

async function view(folders: readonly string[], options: ViewOptions, console: Console): Promise<void> {
  const runs = runFoldersOf(folders, console);
  forgetServer();
  const request = listenForStop();
  const data = mkdtempSync(join(tmpdir(), 'espalier-view-'));
  try {
    await serveFolders(runs, { ...options, data }, console, request);
  } finally {
    rmSync(data, { recursive: true, force: true });
    request.dispose();
  }
}

/** Settings of a server on this machine, such as its database, are none of a page that leaves nothing behind. */
function forgetServer(): void {
  const level = 'ESPALIER__SERVER__LOGLEVEL';
  for (const name of Object.keys(process.env))
    if (name.startsWith('ESPALIER__SERVER__') && name !== level) delete process.env[name];
  process.env[level] ??= 'error';
}

/** Those that hold a run; `runs/*` names the folder of the sweeps too. @throws cli.run_not_found when none does */
function runFoldersOf(named: readonly string[], console: Console): string[] {
  const folders = [...new Set(named)];
  const runs = folders.filter(isRunFolder);
  if (runs.length === 0) throw noRun(folders);
  for (const folder of folders)
    if (!runs.includes(folder)) console.note(`${clean(folder)}: left out, as there is no spec.json`);
  return runs;
}

function noRun([first = '', ...others]: readonly string[]): AppError {
  const found =
    others.length === 0
      ? `view ${first}: there is no spec.json`
      : `view ${first} and ${others.length} more: there is no spec.json in any of them`;
  return new AppError('cli.run_not_found', `${found}; name the folder of a run, e.g. runs/bandit-starpo-s-1`);
}

async function serveFolders(
  folders: readonly string[],
  { port, data, json }: ViewOptions & { readonly data: string },
  console: Console,
  request: StopRequest,
): Promise<void> {
  const silent = { ...console, line: () => undefined };
  const config = join(data, 'server.yaml');
  writeFileSync(config, '');
  const opened = await openServer({ host: '127.0.0.1', port, data, config, json: true }, silent);
  try {
    const page = await importFolders(folders, opened, { isQuiet: json === true }, console);
    if (page === undefined || request.signal.aborted) return;
    const { link, key, runs } = page;
    if (json === true) console.line(JSON.stringify({ url: opened.server.url, link, key, runs }));
    else {
      console.line(`  dashboard   ${console.colors.bold(link)}`);
      console.line(console.colors.dim('  read-only, and only from this machine; Ctrl-C ends it'));
    }
    await request.asked;
  } finally {
    await opened.server.close();
  }
}

interface Page {
  readonly link: string;
  readonly key: string;
  readonly runs: readonly { readonly folder: string; readonly id: string; readonly name: string }[];
}

/** Reads the folders in, and makes the key that the page signs in with: one that may only read. */
async function importFolders(
  folders: readonly string[],
  { server, adminKey }: OpenedServer,
  { isQuiet }: { readonly isQuiet: boolean },
  console: Console,
): Promise<Page | undefined> {
  if (adminKey === undefined) return undefined;
  const client = createClient({ url: server.url, key: adminKey });
  try {
    // loaded here, as it loads the trainer
    const { importRun } = await import('../remote/import-run.js');
    const runs: Page['runs'][number][] = [];
    for (const folder of folders) {
      const { runId, name, state } = await importRun(client, folder);
      runs.push({ folder, id: runId, name });
      if (!isQuiet) console.line(`${clean(folder)}  ${clean(name)}  ${state}`);
    }
    const { secret: key } = await client.keys.create({ name: 'view', role: 'viewer', projects: ['*'] });
    const [only] = runs;
    const path = runs.length === 1 && only !== undefined ? `/runs/${only.id}` : '/';
    return { link: linkTo({ server, adminKey: key }, path, true), key, runs };
  } finally {
    await client.dispose();
  }
}
