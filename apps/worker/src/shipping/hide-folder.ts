/** @file Where a worker keeps its data is nobody else's business: paths in what it sends begin at its data folder. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** Creates the function that shortens the paths in a line of any stream, JSON or not. */
export function createFolderHider(data: string): (text: string) => string {
  const folder = resolve(data);
  const names = [folder, realpathOf(folder)].flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
  const hidden = [...new Set(names)].filter((name) => name !== '/');
  return (text) => hidden.reduce((left, name) => left.replaceAll(`${name}/`, '').replaceAll(name, '.'), text);
}

function realpathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
