/**
 * @file Gives a plugin the kit of this installation where it has none: a folder that `plugins.yaml` names, or that
 * `npm install ../folder` linked, lies outside of every node_modules that holds one.
 */
import { createRequire, register } from 'node:module';

const hook = `
let parent;
export const initialize = (data) => void (parent = data.parent);
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    const isLent = /^(@espalier\\/plugin-kit(\\/testing)?|zod)$/.test(specifier);
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isLent) throw error;
    return next(specifier, { ...context, parentURL: parent });
  }
}
`;

let isRegistered = false;

/** Makes sure that what an entry file imports from the kit, and zod, is found. */
export function lendKit(entry: string): void {
  if (isRegistered || ['@espalier/plugin-kit', 'zod'].every((name) => isFound(name, entry))) return;
  isRegistered = true;
  register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: { parent: import.meta.url } });
}

function isFound(name: string, entry: string): boolean {
  try {
    createRequire(entry).resolve(name);
    return true;
  } catch {
    return false;
  }
}
