/**
 * @file How vitest runs the specs of a plugin, in whose folder it is started: the kit and zod are those of the plugin
 * where it has them, else those of this installation.
 */
import { join } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { findPackage } from '@espalier/files';

/** Folder of a package as code in a folder finds it, else as Espalier does. */
export function findForPlugin(name: string, folder: string): string | undefined {
  return findPackage(name, folder) ?? findPackage(name, findInstallation().program);
}

const kit = findForPlugin('@espalier/plugin-kit', process.cwd());
const zod = findForPlugin('zod', process.cwd());

export default {
  resolve: {
    alias: [
      ...(kit === undefined
        ? []
        : [
            {
              find: /^@espalier\/plugin-kit\/testing$/,
              replacement: join(kit, 'dist', 'testing', 'index.js'),
            },
            { find: /^@espalier\/plugin-kit$/, replacement: join(kit, 'dist', 'index.js') },
          ]),
      ...(zod === undefined ? [] : [{ find: /^zod$/, replacement: zod }]),
    ],
  },
  test: { include: ['**/*.spec.{ts,js}'], exclude: ['**/node_modules/**', '**/dist/**'] },
};
