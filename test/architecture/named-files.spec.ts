import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.js';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '');
const known = new Set(files);
/** Paths may be shortened from the left. */
const endings = new Set(
  files.flatMap((path) => {
    const parts = path.split('/');
    return parts.map((_, from) => parts.slice(from).join('/'));
  }),
);

/** Source files and pages; data, run and model files have other extensions. */
const fileName = /(?<![\w@:/.*<>…-])(?:\.{1,2}\/)*(?:[\w@.-]+\/)*[\w.-]*\w\.(?:ts|mjs|md)(?![\w*-])/g;
const comment = /\/\*[^]*?\*\/|(?<!:)\/\/[^\n]*/g;

/** Files named in a text that do not exist relative to the root or the file, nor as the end of a path. */
function missingIn(path: string, text: string): string[] {
  const named = [...text.matchAll(fileName)].map(([name]) => name);
  return named
    .filter((name) => !known.has(name) && !endings.has(name))
    .filter((name) => !known.has(posix.normalize(posix.join(dirname(path), name))))
    .map((name) => `${path}: ${name}`);
}

describe('files named in text', () => {
  it('exist, in comments', () => {
    expect(sourceFiles().length).toBeGreaterThan(100);
    const missing = sourceFiles().flatMap(({ path, text }) =>
      missingIn(path, [...text.matchAll(comment)].map(([found]) => found).join('\n')),
    );
    expect(missing).toEqual([]);
  });

  it('exist, in documents', () => {
    // the log keeps old names
    const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('docs/log/'));
    expect(pages.length).toBeGreaterThan(10);
    const placeholder = 'docs/examples/mine.mjs'; // a file of the reader
    // so is a block that begins with its name
    const nameOfBlock = /(?<=^```\w+\n)(?:\/\/|#) \S+$/gm;
    const missing = pages.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
        .replaceAll(/https?:\/\/[^\s)]+/g, '')
        .replaceAll(placeholder, '')
        .replaceAll(nameOfBlock, '');
      return missingIn(path, text);
    });
    expect(missing).toEqual([]);
  });

  it('are reported when they are missing', () => {
    expect(
      missingIn('libs/model/src/index.ts', 'see no-such-graph.ts, prefill-graph.ts and none/none.md'),
    ).toEqual(['libs/model/src/index.ts: no-such-graph.ts', 'libs/model/src/index.ts: none/none.md']);
  });
});
