/** @file How far an import is, as a line: pure, for people. */
import { formatDuration } from '../view/eta.js';
import { formatBytes } from '../view/numbers.js';
import type { ImportProgress } from './import-run.js';

/** Time before the rest is estimated, ms: the first requests say little. */
const settledMs = 2000;

/** Writes a line such as `events 1200/1200  files 3/40  37 %  80 MiB of 210 MiB  ~1 min 3 s left`. @param elapsed ms */
export function importLine(
  { events, eventsTotal, files, filesTotal, bytes, bytesTotal, sent }: ImportProgress,
  elapsed: number,
): string {
  const share = bytesTotal === 0 ? 1 : bytes / bytesTotal;
  const isSettled = elapsed >= settledMs && sent > 0 && bytes < bytesTotal;
  return [
    `events ${events}/${eventsTotal}`,
    `files ${files}/${filesTotal}`,
    `${Math.floor(share * 100)} %`,
    `${formatBytes(bytes)} of ${formatBytes(bytesTotal)}`,
    ...(isSettled ? [`~${formatDuration((elapsed / sent) * (bytesTotal - bytes))} left`] : []),
  ].join('  ');
}
