/**
 * @file Checks a run after all faults: the records of the follower, those that the server stored, and the files of the
 * run must agree, and its weights must equal those of an undisturbed run.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/recorder';
import type { Cluster } from './cluster.js';
import { readStored, type FollowedRecord, type WatchedRun } from './watched-run.js';

/** The results of an undisturbed run of the same spec. */
export interface Reference {
  /** path inside the run → sha256 */
  readonly weights: Readonly<Record<string, string>>;
  /** all metrics rows, without timings */
  readonly rows: readonly string[];
  /** ids of its trajectories */
  readonly trajectories: readonly string[];
}

interface Row {
  readonly step: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** A metrics row without time and memory metrics. */
export function withoutTimings({ step, values }: Row): string {
  const kept = Object.entries(values).filter(([name]) => isRepeatable(name));
  return `${step} ${JSON.stringify(Object.fromEntries(kept.sort()))}`;
}

/** Reads the reference from the folder of a run. */
export async function readReference(run: string, weightFiles: readonly string[]): Promise<Reference> {
  const { hashFile } = await import('@espalier/files');
  return {
    weights: Object.fromEntries(weightFiles.map((path) => [path, hashFile(join(run, path))])),
    rows: readMetrics(join(run, runLayout.metrics)).map(withoutTimings),
    trajectories: idsIn(run),
  };
}

function idsIn(run: string): string[] {
  const stored = join(run, runLayout.trajectories);
  const all = listTrajectorySteps(stored).flatMap((step) => readTrajectories(stored, { step }));
  return all.map(({ id }) => id).sort();
}

/** Lists what is wrong with a finished run; empty when it is correct. */
export async function checkRun(cluster: Cluster, run: WatchedRun, reference: Reference): Promise<string[]> {
  const stored = await readStored(cluster.client, run.id);
  const details = await cluster.client.runs.get(run.id);
  const wrong: string[] = [...run.breaks];
  if (details.state !== 'finished') wrong.push(`its state is ${details.state}: ${details.message}`);
  wrong.push(...compareHistories(run.history, stored), ...checkOwners(stored));
  const starts = new Map(details.attempts.map(({ number, startStep }) => [number, startStep ?? null]));
  const currentRecords = stored.filter((one) => !isSuperseded(one, starts));
  wrong.push(...checkRows(currentRecords, reference), ...checkTrajectories(currentRecords, reference));
  wrong.push(...checkFolder(cluster, run.id, currentRecords));
  wrong.push(...(await checkWeights(cluster, run.id, reference)));
  const finished = details.attempts.filter(({ verdict }) => verdict === 'finished');
  if (finished.length !== 1) wrong.push(`${finished.length} attempts finished; expected one`);
  const open = details.attempts.filter(({ state }) => state === 'assigned' || state === 'running');
  if (open.length > 0) wrong.push(`attempt ${open[0]?.number ?? 0} is still ${open[0]?.state ?? ''}`);
  return wrong;
}

/** The followed and the stored records must be equal, with cursors from 1 without gaps. */
function compareHistories(history: readonly FollowedRecord[], stored: readonly FollowedRecord[]): string[] {
  const wrong: string[] = [];
  const gap = stored.findIndex(({ cursor }, index) => cursor !== index + 1);
  if (gap !== -1) wrong.push(`stored: cursor ${stored[gap]?.cursor ?? 0} is at position ${gap + 1}`);
  const other = stored.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(history[index]));
  if (other !== -1)
    wrong.push(
      `record ${other + 1}: stored ${JSON.stringify(stored[other])}, followed ${JSON.stringify(history[other])}`,
    );
  if (history.length > stored.length)
    wrong.push(`${history.length} records followed, ${stored.length} stored: acknowledged records were lost`);
  return wrong;
}

/** After a record of a later attempt there must be none of an earlier one. */
function checkOwners(stored: readonly FollowedRecord[]): string[] {
  let owner = 0;
  for (const { attempt, cursor, kind } of stored) {
    if (kind === 'state' || attempt === 0) continue;
    if (attempt < owner) return [`record ${cursor} is of attempt ${attempt}, after one of attempt ${owner}`];
    owner = attempt;
  }
  return [];
}

function isSuperseded(
  { attempt, step }: FollowedRecord,
  starts: ReadonlyMap<number, number | null>,
): boolean {
  return [...starts].some(
    ([number, start]) => number > attempt && start !== null && (step > start || start === 0),
  );
}

/** The rows must equal those of the undisturbed run, each once. */
function checkRows(records: readonly FollowedRecord[], { rows }: Reference): string[] {
  const found = records.filter(({ kind }) => kind === 'metrics').map(rowWithoutTimings);
  return compareLists('metrics row', rows, found);
}

function rowWithoutTimings({ step, body }: FollowedRecord): string {
  const { values } = JSON.parse(body) as { values: Row['values'] };
  return withoutTimings({ step, values });
}

function checkTrajectories(records: readonly FollowedRecord[], { trajectories }: Reference): string[] {
  const found = records.filter(({ kind }) => kind === 'trajectory').map(({ body }) => idOf(body));
  return compareLists('trajectory', trajectories, found.sort());
}

function idOf(body: string): string {
  const history = JSON.parse(body) as { body: { id?: string; row?: { id: string } } };
  return history.body.id ?? history.body.row?.id ?? '';
}

/** The log in the run folder must equal the server's rows exactly, including times. */
function checkFolder(cluster: Cluster, runId: string, records: readonly FollowedRecord[]): string[] {
  const history = records.filter(({ kind }) => kind === 'metrics');
  const last = history.at(-1);
  const folders = cluster.workers.map(({ folder }) => join(folder, 'runs', runId));
  const logs = folders.filter((folder) => existsSync(join(folder, runLayout.metrics)));
  const logRows = logs.map((folder) => {
    const rows = readMetrics(join(folder, runLayout.metrics));
    return rows.map(({ time, values }) =>
      JSON.stringify({ time, values: Object.fromEntries(knownOf(values)) }),
    );
  });
  const own = logRows.find((rows) => rows.at(-1) === last?.body);
  if (own === undefined) return ['no worker has a metrics log that ends like that of the server'];
  return compareLists(
    'row of metrics.jsonl',
    own,
    history.map(({ body }) => body),
  );
}

function knownOf(values: Row['values']): (readonly [string, number | null])[] {
  return Object.entries(values)
    .filter(([, value]) => Number.isFinite(value))
    .sort();
}

function compareLists(what: string, expected: readonly string[], found: readonly string[]): string[] {
  if (expected.length === found.length && expected.every((one, index) => one === found[index])) return [];
  const index = expected.findIndex((one, place) => one !== found[place]);
  const place = index === -1 ? expected.length : index;
  const show = (text: string | undefined): string => text?.slice(0, 200) ?? 'nothing';
  return [
    `${what} ${place + 1}: expected ${show(expected[place])}, found ${show(found[place])} (${expected.length} expected, ${found.length} found)`,
  ];
}

/** The artifacts that the server serves must have the hashes of the undisturbed run. */
async function checkWeights(cluster: Cluster, runId: string, { weights }: Reference): Promise<string[]> {
  const wrong: string[] = [];
  for (const [path, expected] of Object.entries(weights)) {
    try {
      const response = await cluster.client.artifacts.open(runId, path);
      const bytes = Buffer.from(await response.arrayBuffer());
      const found = createHash('sha256').update(bytes).digest('hex');
      if (found !== expected) wrong.push(`${path}: sha256 ${found}, expected ${expected}`);
    } catch (error) {
      wrong.push(`${path}: ${String(error)}`);
    }
  }
  return wrong;
}
