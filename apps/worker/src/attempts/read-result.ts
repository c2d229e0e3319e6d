/** @file What an evaluation found, as its process has printed it. */
import { existsSync, readFileSync } from 'node:fs';
import type { AttemptFolder } from './attempt-folder.js';

/** Everybody who reads the job gets all of its result, some 130 bytes for each episode; with more, shares have to do. */
const mostOutcomes = 1000;

/** Reads what an evaluation printed: what it found, its episodes one by one only up to 1000, or an error. */
export function readResult({ resultFile, assignment }: Pick<AttemptFolder, 'resultFile' | 'assignment'>): {
  readonly result?: Record<string, unknown>;
  readonly refusal?: string;
} {
  if (assignment.kind !== 'evaluate' || !existsSync(resultFile)) return {};
  try {
    const value = JSON.parse(readFileSync(resultFile, 'utf8')) as Record<string, unknown>;
    // its name among the artifacts says more to readers than its place on this machine
    if (!('error' in value))
      return { result: { ...withoutMany(value), model: assignment.evaluate?.path ?? '' } };
    const { code, message } = value['error'] as Record<string, unknown>;
    return { refusal: `error ${String(code)}: ${String(message)}` };
  } catch {
    return {};
  }
}

function withoutMany(value: Record<string, unknown>): Record<string, unknown> {
  const { outcomes, ...shares } = value;
  return Array.isArray(outcomes) && outcomes.length > mostOutcomes ? shares : value;
}
