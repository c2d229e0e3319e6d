/** @file How the newest attempt of a recorded run ended. */
import type { RunEvent } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from '@espalier/files';
import type { TrackedEnd } from '@espalier/trackers';

/** Reads the end; undefined while the run goes on, or when it was killed. @param path its log of events */
export function readEnd(path: string): TrackedEnd | undefined {
  const last = decodeCheckedLine(completeLines(path).at(-1) ?? '') as RunEvent | undefined;
  if (last?.kind !== 'run-ended') return undefined;
  const { outcome, message, health, time } = last;
  return { outcome, message, health, time };
}
