/**
 * @file A fingerprint of a finished run without timings: equal runs have equal fingerprints.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/recorder';
import { hashFile } from '@espalier/files';
import { loadCheckpoint } from '@espalier/trainer';
import { listCheckpoints } from '@espalier/trainer/run-folder';

/** name of a part → its contents, short enough to print */
export type Fingerprint = Readonly<Record<string, string>>;

const hashOf = (value: unknown): string => {
  const text = JSON.stringify(value, (key, part: unknown) => (isTiming(key) ? undefined : part));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
};

const isTiming = (key: string): boolean => key === 'timings' || key.endsWith('Ms') || !isRepeatable(key);

/**
 * Reads a run folder: weights, optimizer moments and counters of the last checkpoint, all metrics rows and trajectories.
 *
 * @throws trainer.corrupt_checkpoint, recorder.corrupt_log
 */
export function takeFingerprint(folder: string): Fingerprint {
  const [newest = ''] = listCheckpoints(folder);
  const { state } = loadCheckpoint(newest);
  const parts = readdirSync(newest, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = parts.flatMap(({ name: part }) =>
    readdirSync(join(newest, part))
      .sort()
      .map((name) => [`${part}/${name}`, hashFile(join(newest, part, name))] as const),
  );
  const rows = readMetrics(join(folder, runLayout.metrics));
  const stored = join(folder, runLayout.trajectories);
  const trajectories = listTrajectorySteps(stored).map((step) => {
    const found = readTrajectories(stored, { step });
    return [`trajectories/${step}`, `${found.length} ${hashOf(found)}`] as const;
  });
  const validations = readdirSync(join(folder, runLayout.validation)).filter((name) =>
    name.startsWith('step-'),
  );
  return {
    state: JSON.stringify(state),
    ...Object.fromEntries(files),
    'metrics/steps': rows.map(({ step }) => step).join(),
    ...Object.fromEntries(
      rows.map(({ step, values }, index) => [`metrics/${index}`, `${step} ${hashOf(values)}`]),
    ),
    ...Object.fromEntries(trajectories),
    ...Object.fromEntries(
      validations.map((name) => [
        `${runLayout.validation}/${name}`,
        hashOf(JSON.parse(readFileSync(join(folder, runLayout.validation, name), 'utf8'))),
      ]),
    ),
  };
}

/** Lists the parts in which two runs differ. */
export function listDifferences(expected: Fingerprint, found: Fingerprint): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return names
    .filter((name) => expected[name] !== found[name])
    .map((name) => `${name}: ${expected[name] ?? 'absent'} → ${found[name] ?? 'absent'}`);
}
