/**
 * @file Resolves the plugin kit of this installation for plugins that have none: a folder named in `plugins.yaml`, or
 * linked by `npm install ../folder`, is outside every node_modules that contains the kit.
 */
import { realpathSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const hook = `
let parent;
export const initialize = (data) => void (parent = data.parent);
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    const isProvided = /^(@espalier\\/plugin-kit(\\/(reasoning|testing))?|zod)$/.test(specifier);
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isProvided) throw error;
    return next(specifier, { ...context, parentURL: parent });
  }
}
`;

let isRegistered = false;

/** Makes the kit and zod resolvable for an entry file. */
export function provideKit(entry: string): void {
  if (isRegistered || ['@espalier/plugin-kit', 'zod'].every((name) => isResolvable(name, entry))) return;
  isRegistered = true;
  register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: { parent: import.meta.url } });
}

function isResolvable(name: string, entry: string): boolean {
  try {
    // Node imports a linked package from where it really lies
    createRequire(realpathSync(entry)).resolve(name);
    return true;
  } catch {
    return false;
  }
}
