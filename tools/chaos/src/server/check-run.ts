/**
 * @file What must hold of a run after everything it went through. Compared are three tellings of it: what the follower
 * got, what the server has stored, what lies in the run's own files; and its weights with an undisturbed run's.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/recorder';
import type { Stage } from './stage.js';
import { readStored, type Told, type WatchedRun } from './watched-run.js';

/** What an undisturbed run of the same spec ends with. */
export interface Reference {
  /** path inside the run → sha256 */
  readonly weights: Readonly<Record<string, string>>;
  /** every metrics row, without what the clock says */
  readonly rows: readonly string[];
  /** ids of its trajectories */
  readonly trajectories: readonly string[];
}

interface Row {
  readonly step: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** A metrics row without times and memory. */
export function lasting({ step, values }: Row): string {
  const kept = Object.entries(values).filter(([name]) => !/^(time|memory)\//.test(name));
  return `${step} ${JSON.stringify(Object.fromEntries(kept.sort()))}`;
}

/** Reads the reference from the folder of a run. */
export async function readReference(run: string, weightFiles: readonly string[]): Promise<Reference> {
  const { hashFile } = await import('@espalier/files');
  return {
    weights: Object.fromEntries(weightFiles.map((path) => [path, hashFile(join(run, path))])),
    rows: readMetrics(join(run, 'metrics.jsonl')).map(lasting),
    trajectories: idsIn(run),
  };
}

function idsIn(run: string): string[] {
  const stored = join(run, 'trajectories');
  const all = listTrajectorySteps(stored).flatMap((step) => readTrajectories(stored, { step }));
  return all.map(({ id }) => id).sort();
}

/** Lists what is wrong with a run that has come to rest; nothing, if all is well. */
export async function checkRun(stage: Stage, run: WatchedRun, reference: Reference): Promise<string[]> {
  const stored = await readStored(stage.client, run.id);
  const details = await stage.client.runs.get(run.id);
  const wrong: string[] = [...run.breaks];
  if (details.state !== 'finished') wrong.push(`it is ${details.state}: ${details.message}`);
  wrong.push(...compareTellings(run.told, stored), ...checkOwners(stored));
  const starts = new Map(details.attempts.map(({ number, startStep }) => [number, startStep ?? null]));
  const lastingRecords = stored.filter((one) => !isSuperseded(one, starts));
  wrong.push(...checkRows(lastingRecords, reference), ...checkTrajectories(lastingRecords, reference));
  wrong.push(...checkFolder(stage, run.id, lastingRecords));
  wrong.push(...(await checkWeights(stage, run.id, reference)));
  const finished = details.attempts.filter(({ verdict }) => verdict === 'finished');
  if (finished.length !== 1) wrong.push(`${finished.length} attempts finished; expected one`);
  const open = details.attempts.filter(({ state }) => state === 'assigned' || state === 'running');
  if (open.length > 0) wrong.push(`attempt ${open[0]?.number ?? 0} still is ${open[0]?.state ?? ''}`);
  return wrong;
}

/** The follower's telling and the stored one are the same list, cursors from 1 without a gap. */
export function compareTellings(told: readonly Told[], stored: readonly Told[]): string[] {
  const wrong: string[] = [];
  const gap = stored.findIndex(({ cursor }, index) => cursor !== index + 1);
  if (gap !== -1) wrong.push(`stored: cursor ${stored[gap]?.cursor ?? 0} stands at place ${gap + 1}`);
  const other = stored.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(told[index]));
  if (other !== -1)
    wrong.push(
      `record ${other + 1}: stored ${JSON.stringify(stored[other])}, told ${JSON.stringify(told[other])}`,
    );
  if (told.length > stored.length)
    wrong.push(`told ${told.length} records, stored are ${stored.length}: acknowledged and lost`);
  return wrong;
}

/** Once a later attempt has spoken, no earlier one is heard. */
export function checkOwners(stored: readonly Told[]): string[] {
  let owner = 0;
  for (const { attempt, cursor, kind } of stored) {
    if (kind === 'state' || attempt === 0) continue;
    if (attempt < owner) return [`record ${cursor} is of attempt ${attempt}, after one of attempt ${owner}`];
    owner = attempt;
  }
  return [];
}

function isSuperseded({ attempt, step }: Told, starts: ReadonlyMap<number, number | null>): boolean {
  return [...starts].some(
    ([number, start]) => number > attempt && start !== null && (step > start || start === 0),
  );
}

/** Rows are those of the undisturbed run, each once. */
function checkRows(records: readonly Told[], { rows }: Reference): string[] {
  const found = records.filter(({ kind }) => kind === 'metrics').map(toLasting);
  return compareLists('metrics row', rows, found);
}

function toLasting({ step, body }: Told): string {
  const { values } = JSON.parse(body) as { values: Row['values'] };
  return lasting({ step, values });
}

function checkTrajectories(records: readonly Told[], { trajectories }: Reference): string[] {
  const found = records.filter(({ kind }) => kind === 'trajectory').map(({ body }) => idOf(body));
  return compareLists('trajectory', trajectories, found.sort());
}

function idOf(body: string): string {
  const told = JSON.parse(body) as { body: { id?: string; row?: { id: string } } };
  return told.body.id ?? told.body.row?.id ?? '';
}

/** The log in the run's folder says the same as the server, to the last digit and moment. */
function checkFolder(stage: Stage, runId: string, records: readonly Told[]): string[] {
  const told = records.filter(({ kind }) => kind === 'metrics');
  const last = told.at(-1);
  const folders = stage.workers.map(({ folder }) => join(folder, 'runs', runId));
  const logs = folders.filter((folder) => existsSync(join(folder, 'metrics.jsonl')));
  const tellings = logs.map((folder) => {
    const rows = readMetrics(join(folder, 'metrics.jsonl'));
    return rows.map(({ time, values }) =>
      JSON.stringify({ time, values: Object.fromEntries(knownOf(values)) }),
    );
  });
  const own = tellings.find((rows) => rows.at(-1) === last?.body);
  if (own === undefined) return ['no worker has a metrics log that ends as the server’s'];
  return compareLists(
    'row of metrics.jsonl',
    own,
    told.map(({ body }) => body),
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

/** The bytes that the server gives out have the hashes of the undisturbed run. */
async function checkWeights(stage: Stage, runId: string, { weights }: Reference): Promise<string[]> {
  const wrong: string[] = [];
  for (const [path, expected] of Object.entries(weights)) {
    try {
      const response = await stage.client.artifacts.open(runId, path);
      const bytes = Buffer.from(await response.arrayBuffer());
      const found = createHash('sha256').update(bytes).digest('hex');
      if (found !== expected) wrong.push(`${path}: sha256 ${found}, expected ${expected}`);
    } catch (error) {
      wrong.push(`${path}: ${String(error)}`);
    }
  }
  return wrong;
}
