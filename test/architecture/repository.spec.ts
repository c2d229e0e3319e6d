import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './source-files.js';

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const text = tracked.filter(
  (path) => /\.(md|ts|mjs|json|ya?ml|sh)$|^\.ci\//.test(path) && existsSync(join(root, path)),
);

describe('the repository', () => {
  it('has no broken links in Markdown files', () => {
    const dead = text
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [
          ...readFileSync(join(root, path), 'utf8').matchAll(
            /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g,
          ),
        ]
          .map((match) => match[1] ?? '')
          .filter((target) => !existsSync(join(root, path, '..', target)))
          .map((target) => `${path}: ${target}`),
      );
    expect(dead).toEqual([]);
  });

  it('names only documentation pages that exist', () => {
    const dead = text.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/(?<![\w-]|[\w-]\/)docs\/[\w./-]+\.md\b/g)]
        .map(([page]) => page)
        .filter((page) => !existsSync(join(root, page)))
        .map((page) => `${path}: ${page}`),
    );
    expect(dead).toEqual([]);
  });

  it('lists every documentation page in the index', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
    const pages = text.filter((path) => /^docs\/.*\.md$/.test(path) && path !== 'docs/README.md');
    const isIndexed = (path: string) =>
      path.startsWith('docs/log/2') || index.includes(`](${path.slice('docs/'.length)})`);
    expect(pages.filter((path) => !isIndexed(path))).toEqual([]);
  });

  it('contains no paths of a particular machine', () => {
    const rooted = text.filter((path) =>
      /(^|["'`\s(])\/(home|root|work|Users)\/[a-z]/m.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(rooted.filter((path) => !path.endsWith('repository.spec.ts'))).toEqual([]);
  });

  it('ignores what commands write into a clone, so that nobody commits or reformats a model', () => {
    const made = ['runs/a/spec.json', 'models/smollm2/tokenizer.json', 'models/new.work/spec.json', 'data/x'];
    const ignored = execFileSync('git', ['check-ignore', '--no-index', ...made], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(ignored.trim().split('\n')).toEqual(made);
    const kept = ['plugins/models/seedling/model/config.json', 'libs/model/src/index.ts'];
    expect(kept.filter((path) => tracked.includes(path))).toEqual(kept);
  });

  it('has no download URLs in the lockfile', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const recorded = Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined);
    expect(recorded.filter(({ link }) => link !== true)).toEqual([]);
    expect(recorded.filter(({ resolved }) => resolved?.includes(':'))).toEqual([]);
  });
});
