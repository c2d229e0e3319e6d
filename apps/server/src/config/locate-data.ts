import { isAbsolute, join } from 'node:path';
import type { ServerOptions } from './server-options.js';

/** Folder of the artifacts in the data folder, where the settings name no other. */
export const artifactFolder = 'artifacts';

/** Gives the paths of the database file and of the artifacts' folder; relative ones lie in the data folder. */
export function locateData({ data, database, artifacts }: ServerOptions): {
  readonly database: string;
  readonly artifacts: string;
} {
  const inData = (path: string): string => (isAbsolute(path) ? path : join(data, path));
  const { store } = artifacts;
  return {
    database: inData(database.file),
    artifacts: inData(store.driver === 'directory' ? store.folder : artifactFolder),
  };
}
