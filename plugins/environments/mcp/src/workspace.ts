/** @file The folder of an episode: the agent knows it as `/files`, whatever it is called on this machine. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { holdFolder } from './server/keeper.js';

/** What the agent calls the folder. */
export const alias = '/files';

/**
 * The path in the folder that a task file means by a path: `notes/a.txt` for itself and for `/files/notes/a.txt`. Undefined
 * where it leads out of the folder, or is the folder itself.
 */
export function pathInFolder(path: string): string | undefined {
  const inside = relative(alias, resolve(alias, path));
  const isOutside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return inside === '' || isOutside ? undefined : inside;
}

/** Largest file that a check reads. */
const maxFile = 2 ** 20;

export class Workspace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-mcp-')));
  readonly #release = holdFolder(this.folder);

  /** Writes the files of a start, by their paths in the folder. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const place = join(this.folder, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, this.reveal(text));
    }
  }

  /** The text of a file; undefined where there is none, or none that a check may read. */
  read(path: string): string | undefined {
    const place = join(this.folder, path);
    if (!existsSync(place)) return undefined;
    const real = realpathSync(place);
    const isInside = real.startsWith(this.folder + sep);
    const stats = lstatSync(real);
    return isInside && stats.isFile() && stats.size <= maxFile
      ? this.hide(readFileSync(real, 'utf8'))
      : undefined;
  }

  exists(path: string): boolean {
    return lstatSync(join(this.folder, path), { throwIfNoEntry: false }) !== undefined;
  }

  /** The folder's name of this machine for `/files` at the start of a path. */
  reveal(text: string): string {
    return text.replaceAll(/(?<![\w./-])\/files(?![\w-])/g, () => this.folder);
  }

  /** The other way round. */
  hide(text: string): string {
    return text.replaceAll(this.folder, () => alias);
  }

  /** All texts of a value with `/files` as this machine calls it. */
  revealAll(value: unknown): unknown {
    if (typeof value === 'string') return this.reveal(value);
    if (Array.isArray(value)) return value.map((item) => this.revealAll(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.revealAll(item)]));
  }

  /** Removes the folder. @throws where that fails; it is tried again when this process ends */
  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    this.#release();
  }
}
