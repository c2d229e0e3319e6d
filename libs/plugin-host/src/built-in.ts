/** @file The plugins that come with Espalier: packages that this one depends on, found wherever npm put them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPackage } from '@espalier/files';

const home = fileURLToPath(new URL('..', import.meta.url));
const NAME = /^@espalier\/(environment|reward|algorithm|model)-(.+)$/;

/** A plugin that comes with Espalier. */
export interface BuiltInPlugin {
  readonly kind: 'environment' | 'reward' | 'algorithm' | 'model';
  readonly id: string;
  /** absolute, with links followed */
  readonly folder: string;
}

/** Lists the built-in plugins that are installed, by package name. */
export function findBuiltInPlugins(): BuiltInPlugin[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies)
    .sort()
    .flatMap((name) => {
      const [, kind, id] = NAME.exec(name) ?? [];
      const folder = findPackage(name, home);
      if (kind === undefined || id === undefined || folder === undefined) return [];
      return [{ kind: kind as BuiltInPlugin['kind'], id, folder }];
    });
}
