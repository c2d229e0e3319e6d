import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What requiring an entry of this package loads of Nest's rxjs and of TypeORM. */
function loadedBy(entry: string): string[] {
  const program = `
    require(${JSON.stringify(entry)});
    const names = Object.keys(require.cache).map((file) => /node_modules\\/(rxjs|typeorm)\\//.exec(file)?.[1]);
    console.log(JSON.stringify([...new Set(names)].filter(Boolean).sort()));`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd, encoding: 'utf8' })) as string[];
}

it('the entry for commands loads neither Nest nor TypeORM', () => {
  expect(loadedBy('@espalier/server/plain')).toEqual([]);
  expect(loadedBy('@espalier/server')).toEqual(['rxjs', 'typeorm']);
});
