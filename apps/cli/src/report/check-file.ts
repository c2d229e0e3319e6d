/** @file Checks a report file against the runs that it was made from. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { describeObstacle } from '@espalier/files';
import { type CheckedReport, checkReport, parseReport, type ReportManifest } from '@espalier/report';
import { connect, type ConnectOptions } from '../remote/connect.js';
import { withFetchedRuns } from './fetch-run.js';
import { readFolder } from './read-folder.js';

/**
 * Checks a report on folders, or on runs of the server that it names.
 *
 * @param folders where its runs are now; default: where they were, as seen from the file
 * @throws report.unreadable, cli.run_not_found, cli.usage
 */
export async function checkFile(
  file: string,
  folders: readonly string[],
  { server, ...connection }: ConnectOptions,
): Promise<CheckedReport> {
  const html = readReport(file);
  const manifest = parseReport(html, file);
  if (manifest.server !== '') {
    const client = connect({ ...connection, server: server ?? manifest.server });
    const [ids, keys] = [manifest.runs.map(({ address }) => address), manifest.runs.map(({ key }) => key)];
    return withFetchedRuns(client, ids, keys, (runs) => checkReport(html, manifest, runs));
  }
  return checkReport(
    html,
    manifest,
    manifest.runs.map((run) => readFolder(locate(run, file, folders), run.key, run.address)),
  );
}

/** Reads the file. @throws report.unreadable */
export function readReport(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'report.unreadable',
      `check ${file}: ${describeObstacle(cause)}; name a report that was made with --out FILE.html`,
      { cause },
    );
  }
}

/** By its name among the folders that were given, else where it was. */
function locate(
  { address }: ReportManifest['runs'][number],
  file: string,
  folders: readonly string[],
): string {
  const own = join(dirname(resolve(file)), address);
  const moved = folders.find((folder) => basename(resolve(folder)) === basename(own));
  if (moved !== undefined || folders.length === 0) return moved ?? own;
  throw new AppError(
    'cli.usage',
    `report --check ${file}: it is about "${basename(own)}", which is none of the folders given; name all of its runs, or none`,
  );
}
