import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Counts bytes that malloc mapped for a piece, after a larger one was freed; in a process of its own, which stays changed. */
const program = `
import koffi from 'koffi';
import { returnFreedMemory } from '@espalier/runtime';
const libc = koffi.load('libc.so.6');
koffi.struct('mallinfo2', Object.fromEntries(['arena', 'ordblks', 'smblks', 'hblks', 'hblkhd', 'usmblks', 'fsmblks', 'uordblks', 'fordblks', 'keepcost'].map((name) => [name, 'size_t'])));
const [malloc, free, info] = ['void *malloc(size_t size)', 'void free(void *piece)', 'mallinfo2 mallinfo2()'].map((prototype) => libc.func(prototype));
const mapped = (size) => {
  free(malloc(2 ** 24));
  const before = Number(info().hblkhd);
  const piece = malloc(size);
  const bytes = Number(info().hblkhd) - before;
  free(piece);
  return bytes;
};
const learned = mapped(2 ** 22);
const isSet = await returnFreedMemory();
console.log(JSON.stringify({ learned, isSet, mapped: mapped(2 ** 23) }));
`;

const { glibcVersionRuntime: version } = (
  process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } }
).header;
const hasInfo = version !== undefined && Number(version.split('.')[1]) >= 33;

it.skipIf(!hasInfo)('lets glibc map large pieces again after it has learned not to', () => {
  const words = ['--input-type=module', '-e', program];
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { learned, isSet, mapped } = JSON.parse(
    execFileSync(process.execPath, words, { cwd, encoding: 'utf8' }),
  ) as { readonly learned: number; readonly isSet: boolean; readonly mapped: number };
  expect(learned).toBe(0);
  expect(isSet).toBe(true);
  expect(mapped).toBeGreaterThanOrEqual(2 ** 23);
});
