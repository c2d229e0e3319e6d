/** @file What is published, tried as a user does: tarballs installed into an empty folder that has never seen a clone. */
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
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-outside-')));
const tarballs = join(home, 'tarballs');
const folder = join(home, 'mine');
const createPlugin = join(root, 'libs/create-plugin/dist/main.js');
const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
const authored = [
  ['environment', 'secret'],
  ['reward', 'brief'],
] as const;
const ownTests: string[] = [];
const { version, devDependencies } = readJson(join(root, 'package.json'));

interface Manifest {
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
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
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^VITEST|^NODE_ENV$/.test(name) && !/^npm_(?!config_(registry|cache|userconfig)$)/.test(name),
    ),
  ),
  NO_COLOR: '1',
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

beforeAll(async () => {
  mkdirSync(folder);
  await run(process.execPath, [join(root, 'tools/pack.mjs'), '--out', tarballs, '--this-platform'], root);
  // two plugins of somebody else, written and tested on their own: one is packed, one is linked where it lies
  for (const [kind, id] of authored) {
    const place = join(home, `espalier-${kind}-${id}`);
    await run(process.execPath, [createPlugin, kind, id, '--kit', tarballs], home);
    await run('npm', ['install', ...quiet], place);
    ownTests.push(await run('npm', ['test'], place));
  }
  await run('npm', ['pack', '--pack-destination', home], join(home, 'espalier-environment-secret'));
  write('package.json', '{ "name": "mine", "private": true, "type": "module" }\n');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  const plugins = [join(home, 'espalier-environment-secret-0.1.0.tgz'), '../espalier-reward-brief'];
  const tools = ['vitest', 'typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
  await run('npm', ['install', ...quiet, ...files, ...plugins, ...tools]);
}, 600_000);
afterAll(() => removeFolder(home), 600_000);

describe('the tarballs', () => {
  const list = (name: string): string[] =>
    execFileSync('tar', ['-tzf', join(tarballs, name)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);

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
        expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']),
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
      const others = Object.entries(manifest.dependencies).filter(([other]) => /espalier/.test(other));
      expect(others.filter(([, range]) => range !== version)).toEqual([]);
    }
    const bundled = join(installed, '@espalier/runtime/node_modules/onnxruntime-node/package.json');
    expect(readJson(bundled).scripts).toBeUndefined();
  });
});

describe('an empty folder outside the clone', () => {
  it('has run the conformance suite in the folders of two new plugins', () => {
    for (const output of ownTests) expect(output).toMatch(/Tests {2}\d+ passed/);
  });

  it('has the built-in plugins and those of others, packed and linked', async () => {
    write('config/plugins.yaml', 'packages: [espalier-environment-secret, espalier-reward-brief]\n');
    const lines = (await espalier('plugins', '--json')).trim().split('\n');
    const plugins = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(plugins.filter(({ health }) => health !== 'ok')).toEqual([]);
    const expected = [...builtIn, ...authored.map(([kind, id]) => `${kind} ${id}`)].sort();
    expect(plugins.map(({ kind, id }) => `${String(kind)} ${String(id)}`).sort()).toEqual(expected);
    expect(await espalier('env', 'show', 'secret', '--seeds', '0')).toContain('nothing tried');
  });

  it('trains to a result, with the reward of somebody else', async () => {
    write(
      'bandit.yaml',
      `environment: { use: bandit }
algorithm: { use: grpo }
rewards: [{ use: environment-return }, { use: brief }]
steps: 1
rollout: { promptsPerStep: 2, groupSize: 4 }
validation: { every: 0, episodes: 4 }
`,
    );
    const output = await espalier('train', 'bandit.yaml');
    expect(output).toMatch(/finished: all steps done at step 1 of 1/);
    const origin = readFileSync(join(folder, 'runs/bandit-1/origin.json'), 'utf8');
    expect(JSON.parse(origin)).toMatchObject({ gitRevision: null, versions: { espalier: version } });
    expect(origin).toContain('"id": "brief"');
  });

  if (isLong)
    it('runs server, worker and a run', async () => {
      const output = await espalier('up', '--run', 'bandit.yaml', '--port', '0');
      expect(output).toMatch(/finished/);
    }, 120_000);

  it('gives TypeScript the types of kit and client, strictly and with those of all libraries', async () => {
    write(
      'use.ts',
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
        files: ['use.ts'],
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
