/** @file Runs of a server as a report reads them: their stored files in a temporary folder, trajectories when they are needed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@espalier/client';
import { runLayout } from '@espalier/contracts';
import { nameRuns, type ReportRun } from '@espalier/report';
import { outcomeOf } from '@espalier/sweep';
import { fetchFile, fetchRecords } from '../remote/fetch-records.js';
import { findRun } from '../remote/find-run.js';
import { readFolder } from './read-folder.js';

/**
 * Fetches runs and hands them over; their files go afterwards.
 *
 * @param words ids, beginnings of ids, names or titles
 * @param keys what citations call them; default: their names
 * @throws cli.run_not_found, cli.ambiguous_run, client.refused, client.unreachable
 */
export async function withFetchedRuns<Result>(
  client: Client,
  words: readonly string[],
  keys: readonly string[] | undefined,
  use: (runs: readonly ReportRun[]) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), 'espalier-report-'));
  try {
    const found = [];
    for (const word of words) found.push(await client.runs.get(await findRun(client, word)));
    const names = keys ?? nameRuns(found.map(({ title, name }) => (title === '' ? name : title)));
    const runs: ReportRun[] = [];
    for (const [index, run] of found.entries())
      runs.push(await fetchRun(client, run, names[index] ?? run.id, join(root, String(index))));
    return await use(runs);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Found = Awaited<ReturnType<Client['runs']['get']>>;

async function fetchRun(client: Client, run: Found, key: string, folder: string): Promise<ReportRun> {
  await fetchRecords(client, run, folder);
  const files = await client.artifacts.list(run.id, `${runLayout.trajectories}/`);
  const stored = readFolder(folder, key, run.id);
  return {
    ...stored,
    state: outcomeOf(folder) ?? run.state,
    message: run.message,
    origin: {
      host: run.host,
      gitRevision: run.gitRevision,
      versions: run.versions && Object.fromEntries(run.versions.map(({ name, version }) => [name, version])),
      plugins: run.plugins,
    },
    trajectorySteps: files.flatMap(({ path }) => runLayout.stepOf(path) ?? []).sort((a, b) => a - b),
    readTrajectories: async (step) => {
      const path = runLayout.trajectoriesOf(step);
      if (!existsSync(join(folder, path))) await fetchFile(client, run.id, path, folder);
      return stored.readTrajectories(step);
    },
  };
}
