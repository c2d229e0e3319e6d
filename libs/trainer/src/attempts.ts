/**
 * @file `attempts.json`: how many attempts a run has had, and the sha256 of its stored spec. It is written before the
 * spec, with the hash of the previous one, so that a process killed in between leaves a consistent folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout, type RunSpec } from '@espalier/contracts';
import { hashFile, saveWholeFile } from '@espalier/files';
import { specFile } from './run-folder.js';

interface Attempts {
  readonly attempts: number;
  /** sha256 of `spec.json` before and after the newest attempt started */
  readonly specs: readonly string[];
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

function encodeAttempts(content: Attempts): string {
  return `${JSON.stringify({ ...content, sha256: hashText(JSON.stringify(content)) })}\n`;
}

/** Reads the file; undefined when it is missing or corrupt. */
function loadAttempts(folder: string): Attempts | undefined {
  const file = join(folder, runLayout.attempts);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  try {
    const { sha256: _, ...content } = JSON.parse(text) as Attempts & { readonly sha256?: string };
    return encodeAttempts(content) === text ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Lists the damaged ones of the files written at the start of a run; missing files are not damaged. */
export function listDamagedRunFiles(folder: string): { readonly name: string; readonly finding: string }[] {
  const present = loadAttempts(folder);
  if (present === undefined) {
    if (!existsSync(join(folder, runLayout.attempts))) return [];
    return [{ name: runLayout.attempts, finding: 'it has no valid count of attempts' }];
  }
  if (!existsSync(specFile(folder))) return [];
  if (present.specs.includes(hashFile(specFile(folder)))) return [];
  return [{ name: runLayout.spec, finding: 'its sha256 differs from the recorded one' }];
}

/**
 * Marks the folder as one that holds a run and stores the spec.
 *
 * @param known attempts that a checkpoint knows of, for a folder whose count is damaged
 * @returns which attempt at the run this is, from 1
 */
export function beginAttempt(folder: string, spec: RunSpec, known = 0): number {
  const attempts = (loadAttempts(folder)?.attempts ?? known) + 1;
  const text = `${JSON.stringify(spec, null, 2)}\n`;
  const before = existsSync(specFile(folder)) ? [hashFile(specFile(folder))] : [];
  saveWholeFile(
    join(folder, runLayout.attempts),
    encodeAttempts({ attempts, specs: [...before, hashText(text)] }),
  );
  saveWholeFile(specFile(folder), text);
  return attempts;
}
