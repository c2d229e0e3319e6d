/** @file One run to train: its configuration, its folder, and how far it has come. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyOverrides, canonicalJson, leaves, loadConfig } from '@espalier/config';
import { runLayout, type RunOutcome } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import { saveWholeFile } from '@espalier/files';
import { readMetrics } from '@espalier/recorder';

export interface TrainingJob {
  /** for messages */
  readonly label: string;
  /** run configuration */
  readonly config: string;
  /** assignments as of --set, the seed among them */
  readonly overrides: readonly string[];
  /** run folder; the log and the request are next to it */
  readonly folder: string;
  readonly log: string;
}

/**
 * `finished`: ended for the current request, by its last step or because it could not learn any more. `changed`: it was
 * begun with other options. `interrupted`: it has begun and can be resumed.
 */
export type JobState = 'absent' | 'interrupted' | 'changed' | 'finished';

/** The request of a run: its configuration with the changes, without defaults. */
function readRequest({
  config,
  overrides,
}: Pick<TrainingJob, 'config' | 'overrides'>): Readonly<Record<string, unknown>> {
  return applyOverrides(loadConfig(config), overrides).value;
}

const requestFile = ({ folder }: Pick<TrainingJob, 'folder'>): string => `${folder}.request.json`;

/** Stores the request of a run, so that it counts as finished only for an equal request. */
export function saveRequest(job: TrainingJob): void {
  saveWholeFile(requestFile(job), `${canonicalJson(readRequest(job))}\n`);
}

/** Lists the options in which the stored request of a run differs; empty without one. */
export function changedOptions(job: TrainingJob): string[] {
  const file = requestFile(job);
  if (!existsSync(file)) return [];
  const [stored, wanted] = [JSON.parse(readFileSync(file, 'utf8')) as unknown, readRequest(job)].map(
    (request) => new Map(leaves(request).map(([path, value]) => [path, JSON.stringify(value)])),
  );
  const paths = new Set([...(stored?.keys() ?? []), ...(wanted?.keys() ?? [])]);
  return [...paths].filter((path) => stored?.get(path) !== wanted?.get(path)).sort();
}

/** Iterations that a run was last started for; undefined where its request leaves that to the default, or there is none. */
export function requestedSteps(job: Pick<TrainingJob, 'folder'>): number | undefined {
  const file = requestFile(job);
  if (!existsSync(file)) return undefined;
  const { steps } = JSON.parse(readFileSync(file, 'utf8')) as { steps?: unknown };
  return typeof steps === 'number' ? steps : undefined;
}

/** How the newest attempt at a run ended; undefined while it is under way or was killed. */
export function outcomeOf(folder: string): RunOutcome | undefined {
  const file = join(folder, runLayout.events);
  if (!existsSync(file)) return undefined;
  const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    const event = JSON.parse(last) as { kind?: string; outcome?: RunOutcome };
    return event.kind === 'run-ended' ? event.outcome : undefined;
  } catch {
    return undefined; // a line cut off by a crash
  }
}

/** Outcomes after which a run has nothing left to do. */
const over: readonly (RunOutcome | undefined)[] = ['finished', 'no-signal', 'collapsed'];

/** Whether a run is finished for the current request. With more steps it resumes. */
export function stateOf(job: TrainingJob): JobState {
  if (!existsSync(join(job.folder, runLayout.spec))) return 'absent';
  const changed = changedOptions(job);
  if (changed.some((path) => path !== 'steps')) return 'changed';
  return changed.length === 0 && over.includes(outcomeOf(job.folder)) ? 'finished' : 'interrupted';
}

/** Iterations that a run is asked to do; undefined where its configuration leaves that to the default. */
export function plannedSteps(job: TrainingJob): number | undefined {
  const { steps } = readRequest(job);
  return typeof steps === 'number' ? steps : undefined;
}

/** Assignments that keep a run to so many threads; a smaller number that it names itself stays. */
export function limitThreads(
  job: Pick<TrainingJob, 'config' | 'overrides'>,
  most: number | undefined,
): string[] {
  if (most === undefined) return [];
  const { device } = readRequest(job);
  const own = isRecord(device) ? device['threads'] : undefined;
  return typeof own === 'number' && own <= most ? [] : [`device.threads=${most}`];
}

/** Iterations that a run has recorded. */
export function stepOf({ folder }: Pick<TrainingJob, 'folder'>): number {
  const file = join(folder, runLayout.metrics);
  return existsSync(file) ? (readMetrics(file).at(-1)?.step ?? 0) : 0;
}
