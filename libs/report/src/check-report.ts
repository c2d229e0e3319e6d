/** @file Checks a report that was made earlier against its runs as they are now. */
import { AppError } from '@espalier/contracts';
import { type Fingerprint, hashText, hashTrajectory, takeFingerprint } from './fingerprint.js';
import { isReport, readManifest, type ReportManifest, withoutHash } from './manifest.js';
import {
  findTrajectory,
  parseReference,
  ReferenceProblem,
  resolveTarget,
  stepOfTrajectory,
} from './references.js';
import type { ReportRun } from './report-run.js';

export interface CheckedReport {
  readonly title: string;
  readonly runs: number;
  /** values that were looked up again */
  readonly values: number;
  /** what does not hold; empty: all does */
  readonly problems: readonly string[];
  /** what has changed and contradicts nothing */
  readonly notes: readonly string[];
}

type ManifestRun = ReportManifest['runs'][number];

/** Reads the manifest of a report file. @throws report.unreadable */
export function parseReport(html: string, file: string): ReportManifest {
  const manifest = readManifest(html);
  if (manifest !== undefined) return manifest;
  const finding = isReport(html)
    ? 'it is a report of another version; make it again'
    : 'it is no report in HTML, and only those can be checked; make one with espalier report RUN… --out NEW.html';
  throw new AppError('report.unreadable', `check ${file}: ${finding}`);
}

/**
 * Checks a report: that the file is as it was made, and that its runs say what it says.
 *
 * @param runs the runs of the manifest, in its order
 */
export async function checkReport(
  html: string,
  manifest: ReportManifest,
  runs: readonly ReportRun[],
): Promise<CheckedReport> {
  const problems: string[] = [];
  const notes: string[] = [];
  if (hashText(withoutHash(html, manifest.document)) !== manifest.document)
    problems.push('the file was changed after it was made');
  for (const [index, recorded] of manifest.runs.entries()) {
    const run = runs[index];
    if (run === undefined) continue;
    problems.push(...comparePrints(recorded, takeFingerprint(run, recorded.upTo)));
    problems.push(...(await compareTrajectories(recorded, run)));
    if (run.state !== recorded.state)
      notes.push(`${recorded.key}: was ${recorded.state} when the report was made, and is ${run.state} now`);
  }
  const values = manifest.sources.flatMap(({ number, parts }) => parts.map((part) => ({ number, ...part })));
  for (const value of values) problems.push(...compareValue(value, manifest, runs));
  return { title: manifest.title, runs: manifest.runs.length, values: values.length, problems, notes };
}

const names: Readonly<Record<keyof Fingerprint, string>> = {
  spec: 'its spec',
  metrics: 'its metrics',
  events: 'its events',
  validations: 'its validations',
};

function comparePrints({ key, upTo, fingerprint }: ManifestRun, now: Fingerprint): string[] {
  return (Object.keys(names) as (keyof Fingerprint)[])
    .filter((part) => now[part] !== fingerprint[part])
    .map(
      (part) =>
        `${key}: ${names[part]}${part === 'spec' ? '' : ` up to step ${upTo}`} are not those that the report was made from`,
    );
}

async function compareTrajectories({ key, trajectories }: ManifestRun, run: ReportRun): Promise<string[]> {
  const problems: string[] = [];
  for (const [id, hash] of Object.entries(trajectories)) {
    try {
      const found = await findTrajectory(run, { kind: 'trajectory', id });
      if (hashTrajectory(found) !== hash)
        problems.push(`${key}: trajectory ${id} is not the one that is shown`);
    } catch (error) {
      if (!(error instanceof ReferenceProblem)) throw error;
      problems.push(`${key}: trajectory ${id} of step ${stepOfTrajectory(id)}: ${error.message}`);
    }
  }
  return problems;
}

function compareValue(
  { number, reference, value }: { number: number; reference: string; value: number | string },
  manifest: ReportManifest,
  runs: readonly ReportRun[],
): string[] {
  const keys = manifest.runs.map(({ key }) => key);
  try {
    const { run: key, target } = parseReference(reference, keys);
    const run = runs[keys.indexOf(key)];
    // a trajectory is compared by its hash, and the state of a run may change
    if (run === undefined || target.kind === 'trajectory' || target.kind === 'state') return [];
    const now = resolveTarget(run, target).value;
    return Object.is(now, value) || now === value
      ? []
      : [`source ${number}, ${reference}: the report says ${value}, the run says ${now}`];
  } catch (error) {
    if (!(error instanceof ReferenceProblem)) throw error;
    return [`source ${number}, ${reference}: ${error.message}`];
  }
}
