/**
 * @file What is published, tried as a user does: tarballs installed into an empty folder that has never seen a clone, and
 * the pages for authors followed there word by word.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { runPage } from './run-page.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-outside-')));
const tarballs = join(home, 'espalier/.cache/packages');
const folder = join(home, 'mine');
/** The short form follows the first page; a job of CI follows all of them as written. */
const authored = ['environment guess', 'reward true-distance', 'algorithm leave-one-out'].slice(
  0,
  isLong ? 3 : 1,
);
const { version, devDependencies } = readJson(join(root, 'package.json'));

interface Manifest {
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readJson(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/** Folders that a pattern of workspaces names. */
function foldersOf(pattern: string): string[] {
  const [first = '', ...rest] = pattern.split('/');
  return rest
    .reduce(
      (parents) => parents.flatMap((parent) => readdirSync(parent).map((name) => join(parent, name))),
      [join(root, first)],
    )
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

/** `environment maze` for every plugin of this repository, whose folder has its id. */
const builtIn = foldersOf('plugins/*/*').map(
  (folder) => `${basename(dirname(folder)).replace(/s$/, '')} ${basename(folder)}`,
);

/** The environment of a user: nothing of the npm and the vitest that run this. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^VITEST|^NODE_ENV$/.test(name) && !/^npm_(?!config_(registry|cache|userconfig)$)/.test(name),
    ),
  ),
  NO_COLOR: '1',
  OMP_NUM_THREADS: '1',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
};

/** Runs a program in the user's folder; what it prints is part of the error when it fails. */
async function run(program: string, words: readonly string[], cwd = folder): Promise<string> {
  const options = { cwd, env, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(program, words, options).catch((error: unknown) => {
    const { message, stdout } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${stdout ?? ''}`);
  });
  return stdout;
}

const bin = (name: string): string => join(folder, 'node_modules', '.bin', name);
const espalier = (...words: string[]): Promise<string> => run(bin('espalier'), words);

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const toolNames = ['vitest', 'typescript', '@types/node'];
const tools = toolNames.map((name) => `${name}@${devDependencies[name]}`);
/**
 * Links what this clone has of the tools, whose installing takes as long as that of all packages. The compiler is the native
 * one: the pages compile a dozen times.
 */
const linkTools = [
  ...toolNames.map((name) => `ln -s '${join(root, 'node_modules', name)}' 'node_modules/${name}'`),
  ...['node_modules/.bin/vitest', 'node_modules/typescript-7/bin/tsc'].map(
    (file) => `ln -s '${realpathSync(join(root, file))}' 'node_modules/.bin/${basename(file)}'`,
  ),
];
const few = '--set validation.episodes=8';
/** Commands that only look, which other specs run; each takes seconds to begin. */
const looks = [
  'npx espalier doctor',
  'npx espalier plugins',
  'npx espalier plan config/runs/guess-grpo.yaml',
  'npx espalier eval runs/guess-grpo-1 ./models/guess --episodes 256',
  'npx espalier show runs/guess-grpo-1 --limit 1',
];
/**
 * What long mode types as written is shortened otherwise. The tools are those of this clone, and packages are linked:
 * installing each by itself takes longer than all else together.
 */
const instead: Readonly<Record<string, string>> = isLong
  ? {}
  : {
      'npm install ../espalier/.cache/packages/*.tgz': [
        'npm install ../espalier/.cache/packages/*.tgz',
        'mkdir -p node_modules/@types',
        ...linkTools,
      ].join('\n'),
      'npm install\nnpm test': '',
      'npm install': '',
      // the steps of the workflow, which come next, test the same files
      '(cd espalier-environment-guess && npm test)': '',
      'npm ci': '',
      'npm install ./espalier-environment-guess': link('espalier-environment-guess'),
      'npm install ./espalier-environment-guess-0.1.0.tgz':
        'cd node_modules && rm espalier-environment-guess && tar -xzf ../espalier-environment-guess-0.1.0.tgz && mv package espalier-environment-guess && cd ..',
      'npx espalier warm-start config/warm-start/guess.yaml': `npx espalier warm-start config/warm-start/guess.yaml ${few} --set tokens=20e3 --set validation.everyTokens=20e3 --set validation.finalEpisodes=8`,
      'npx espalier train config/runs/guess-grpo.yaml': `npx espalier train config/runs/guess-grpo.yaml ${few} --set steps=1`,
      ...Object.fromEntries(looks.map((command) => [command, ''])),
    };

/** Programs that the pages run, by name. Through npx, as in long mode, each takes as long again to begin. */
if (!isLong) {
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  env['PATH'] = [join(home, 'bin'), join(folder, 'node_modules/.bin'), env['PATH']].join(delimiter);
}

function link(name: string): string {
  return `ln -s ../${name} node_modules/`;
}

/** Follows a page for authors. */
const follow = (page: string, from = folder): Promise<string> =>
  runPage(page, readFileSync(join(root, page), 'utf8'), { folder: from, env, instead });

beforeAll(
  () => run(process.execPath, [join(root, 'tools/pack.mjs'), '--out', tarballs, '--this-platform'], root),
  600_000,
);
afterAll(() => removeFolder(home), 600_000);

describe('the pages for authors, as written', () => {
  it('lead from an empty folder to a model that has learned an environment of its own', async () => {
    const output = await follow('docs/use/writing-an-environment.md', home);
    expect(output).toMatch(/environment guess: good, \d+ conformance tests passed/);
    expect(output.match(/The number lies in 1\.\.8\./g)?.length).toBeGreaterThan(4);
    expect(output).toMatch(/finished: all steps done at step \d+ of \d+/);
  }, 900_000);

  if (isLong) {
    it('lead to a reward that credits tokens, in a run', async () => {
      const output = await follow('docs/use/writing-a-reward.md');
      expect(output).toMatch(/reward true-distance: good, \d+ conformance tests passed/);
      for (const name of ['true-distance', 'true-distance/stated', 'true-distance/false'])
        expect(output).toContain(`"reward/${name}":`);
    }, 900_000);

    it('lead to an algorithm that trains', async () => {
      const output = await follow('docs/use/writing-an-algorithm.md');
      expect(output).toMatch(/algorithm leave-one-out: good, \d+ conformance tests passed/);
      expect(output).toMatch(/finished: all steps done at step \d+ of \d+/);
    }, 900_000);
  }

  it.runIf(isLong)(
    'fail with their line where a type or an expectation of theirs does not hold',
    async () => {
      const place = join(folder, 'espalier-reward-true-distance');
      const slashes = '//';
      const followBroken = (line: string): Promise<string> =>
        runPage(
          'page.md',
          `# Page\n\n\`\`\`ts\n${slashes} src/words.ts\n${line}\n\`\`\`\n\n\`\`\`sh\nnpm test\n\`\`\`\n`,
          {
            folder: place,
            env,
          },
        );
      const definition = readFileSync(join(place, 'src/words.ts'), 'utf8').split('\n').slice(1).join('\n');
      await expect(followBroken(definition.replace('z.number()', 'z.string()'))).rejects.toThrow(
        /^page\.md:\d+: [^]*error TS/,
      );
      await expect(followBroken(definition.replace('-perWord', '0 / 0 + perWord'))).rejects.toThrow(
        /^page\.md:\d+: [^]*one finite value per turn/,
      );
      expect(await followBroken(definition)).toMatch(/Tests +\d+ passed/);
    },
    300_000,
  );

  it('have the lines that are shortened here, on the first', () => {
    const page = readFileSync(join(root, 'docs/use/writing-an-environment.md'), 'utf8');
    const written = `\n${page.replaceAll(/^ +- run: /gm, '')}\n`;
    expect(Object.keys(instead).filter((lines) => !written.includes(`\n${lines}\n`))).toEqual([]);
  });
});

describe('the tarballs', () => {
  const list = (name: string): string[] =>
    execFileSync('tar', ['-tzf', join(tarballs, name)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);

  /** The dashboard is a page, compressed; everything else a module with its types. */
  const entryOf = (name: string): string[] =>
    name.includes('dashboard') ? ['dist/index.html'] : ['dist/index.js', 'dist/index.d.ts'];

  it('hold the page that the server serves', () => {
    const files = list(`espalier-dashboard-${version}.tgz`);
    expect(
      files.filter((path) => /^package\/dist\/assets\/index-[\w-]{8}\.(js|css)\.gz$/.test(path)),
    ).toHaveLength(2);
    const served = join(folder, 'node_modules/@espalier/dashboard/dist/index.html');
    expect(readFileSync(served, 'utf8')).toContain('<div id="page">');
  });

  it('hold compiled files with their types, README and LICENSE, and nothing of the tests or the sources', () => {
    const names = readdirSync(tarballs);
    const packages = ['apps/*', 'libs/*', 'tools/*', 'plugins/*/*'].flatMap((pattern) => foldersOf(pattern));
    expect(names).toHaveLength(
      packages.filter((folder) => readJson(join(folder, 'package.json')).private !== true).length,
    );
    for (const name of names) {
      const files = list(name)
        .map((path) => path.replace('package/', ''))
        .filter((path) => !path.startsWith('node_modules/'));
      expect([name, files]).toEqual([
        name,
        expect.arrayContaining(['package.json', 'README.md', 'LICENSE', ...entryOf(name)]),
      ]);
      // a new plugin gets its sources and specs from there
      const compiled = files.filter((path) => !path.startsWith('templates/'));
      const unwanted = /\.spec\.|\.map$|\.tsbuildinfo$|^src\/|^dist\/.*(?<!\.d)\.ts$/;
      expect(compiled.filter((path) => unwanted.test(path))).toEqual([]);
    }
  });

  it('need no install script, and name the packages of one version', () => {
    const installed = join(folder, 'node_modules');
    const own = readdirSync(join(installed, '@espalier')).map((name) => `@espalier/${name}`);
    for (const name of ['espalier', ...own]) {
      const manifest = readJson(join(installed, name, 'package.json'));
      expect([name, manifest.version, manifest.scripts]).toEqual([name, version, undefined]);
      const others = Object.entries(manifest.dependencies ?? {}).filter(([other]) => /espalier/.test(other));
      expect(others.filter(([, range]) => range !== version)).toEqual([]);
    }
    const bundled = join(installed, '@espalier/runtime/node_modules/onnxruntime-node/package.json');
    expect(readJson(bundled).scripts).toBeUndefined();
  });
});

describe('an empty folder outside the clone', () => {
  it('has the built-in plugins and those of others, packed and linked', async () => {
    const names = authored.map((name) => `espalier-${name.replace(' ', '-')}`);
    write('config/plugins.yaml', `packages: [${names.join(', ')}]\n`);
    const lines = (await espalier('plugins', '--json')).trim().split('\n');
    const plugins = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(plugins.filter(({ health }) => health !== 'ok')).toEqual([]);
    const expected = [...builtIn, ...authored].sort();
    expect(plugins.map(({ kind, id }) => `${String(kind)} ${String(id)}`).sort()).toEqual(expected);
  });

  it('records whose plugins a run had', () => {
    const origin = readFileSync(join(folder, 'runs/guess-grpo-1/origin.json'), 'utf8');
    expect(JSON.parse(origin)).toMatchObject({ gitRevision: null, versions: { espalier: version } });
    expect(origin).toContain('"id": "guess"');
  });

  if (isLong)
    it('runs server, worker and a run', async () => {
      const output = await espalier('up', '--run', 'config/runs/leave-one-out.yaml', '--port', '0');
      expect(output).toMatch(/finished/);
    }, 120_000);

  it('gives TypeScript the types of kit and client, strictly and with those of all libraries', async () => {
    if (isLong) await run('npm', ['install', ...tools]);
    write(
      'use.mts',
      `import { type Client, createClient } from '@espalier/client';
import { createStream, defineReward } from '@espalier/plugin-kit';
import { testReward } from '@espalier/plugin-kit/testing';
import { z } from 'zod';

const client: Client = createClient({ url: 'http://127.0.0.1:3000', key: 'k' });
export const names = async (): Promise<string[]> => [(await client.runs.get('run-1')).name];
export const first: number = createStream(1).next();
const reward = defineReward({
  id: 'short',
  summary: 'Short answers.',
  params: z.strictObject({ perWord: z.number().default(0.1) }),
  score: ({ turns }, { perWord }) => ({ perTurn: turns.map(({ think }) => -perWord * think.length) }),
});
testReward(reward);
// @ts-expect-error a reward has a score
defineReward({ id: 'none', summary: 'Nothing.', params: z.strictObject({}) });
`,
    );
    write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          moduleResolution: 'nodenext',
          target: 'es2023',
          lib: ['es2023'],
          strict: true,
          skipLibCheck: false,
          noEmit: true,
          types: ['node'],
        },
        files: ['use.mts'],
      }),
    );
    await run(bin('tsc'), ['--noEmit']);
  });

  if (isLong)
    it('runs the commands of the tutorial as written', async () => {
      const page =
        readFileSync(join(root, 'docs/learn/tutorial.md'), 'utf8').split('## Outside the clone')[1] ?? '';
      const output: string[] = [];
      for (const [, language, text = ''] of page.matchAll(/```(sh|yaml)\n([^]*?)```/g)) {
        if (language === 'yaml') write('config/plugins.yaml', text);
        // what the first block installs is there already
        const lines = text
          .split('\n')
          .filter((line) => !/^(npm init|npm install (\.\.\/espalier|--save-dev))/.test(line));
        if (language === 'sh')
          for (const line of lines)
            output.push(
              await run('sh', ['-c', `${line.replace('../espalier/.cache/packages', tarballs)} < /dev/null`]),
            );
      }
      const all = output.join('\n');
      expect(all).toMatch(/plugins +\d+ usable/);
      expect(all).toMatch(/Tests +\d+ passed/);
      expect(all).toMatch(/finished: all steps done at step 2 of 2/);
      expect(all).toContain('nothing tried');
      expect(await espalier('plugin', 'test', '../espalier-reward-brief')).toMatch(/Tests +\d+ passed/);
    }, 180_000);
});
