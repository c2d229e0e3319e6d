/** @file The files of a plugin of each kind, from the folder `templates`, in which its id is `my-plugin`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside `src` and `dist` alike. */
const home = fileURLToPath(new URL('../templates', import.meta.url));

/** Reads the files of a kind, with an id in them. @returns path in the package → content */
export function readTemplate(kind: string, id: string): Record<string, string | Uint8Array> {
  const folder = join(home, kind);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    paths
      .filter((path) => /\.\w+$/.test(path))
      .map((path) => {
        const bytes = readFileSync(join(folder, path));
        const content = path.endsWith('.ts') ? bytes.toString('utf8').replaceAll('my-plugin', id) : bytes;
        return [path, content];
      }),
  );
}
