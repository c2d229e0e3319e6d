import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** relative to the root, with forward slashes */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/** Lists the TypeScript files that are tracked or would be added, without build output. */
export function sourceFiles(): SourceFile[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return [...new Set(listed.split('\n'))]
    .filter((path) => path !== '' && !path.endsWith('.d.ts'))
    .flatMap((path) => {
      try {
        const text = readFileSync(join(root, path), 'utf8');
        return [{ path, text, lines: text.split('\n').length - 1 }];
      } catch {
        return []; // deleted in the working tree
      }
    });
}

/** Module names that a file imports, including type imports. */
export function importsOf(text: string): string[] {
  const found: string[] = [];
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  for (const match of text.matchAll(pattern)) found.push(match[1] ?? match[2] ?? match[3] ?? '');
  return found;
}

/** `libs/graph/src/…` → `graph`; `plugins/…` → `plugins`; `apps/cli/…` → `apps/cli`; `tools/bench/src/…` → `tools/bench`. */
export function packageOf(path: string): string | undefined {
  const [top, second, third] = path.split('/');
  if (top === 'libs' && third === 'src') return second;
  if (top === 'apps' || (top === 'tools' && third === 'src')) return `${top}/${second}`;
  if (top === 'plugins') return 'plugins';
  return undefined;
}
