/** @file Runs once per test run: a folder in which tests keep for each other what takes long to make. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyClusterVariable, removeFolder } from '@espalier/testing';

/** Variable that names the folder. */
export const sharedFolderVariable = emptyClusterVariable;

export default function openSharedFolder(): (() => void) | undefined {
  // another project of this run has opened it
  if (process.env[emptyClusterVariable] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-tests-'));
  // PostgreSQL never runs as root, and copies it as another user
  chmodSync(folder, 0o711);
  process.env[emptyClusterVariable] = folder;
  return () => removeFolder(folder);
}
