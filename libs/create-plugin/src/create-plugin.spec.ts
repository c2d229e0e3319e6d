import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { kitVersion } from '@espalier/plugin-kit';
import { removeFolder } from '@espalier/testing';
import { createPlugin, type PluginKind, pluginKinds } from './create-plugin.js';
import { toolVersions } from './package-files.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-create-')));
const place = (name: string): string => join(home, name);
afterAll(() => removeFolder(home));

describe('createPlugin', () => {
  // the files themselves are type-checked, linted and run where they lie, in `templates`
  it.each(pluginKinds)(
    'writes a %s with source, test, manifest and compiler options, under its own id',
    (kind) => {
      const folder = createPlugin({ kind, id: 'tiny-game', folder: place(kind) });
      const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
      expect(readdirSync(folder)).toEqual(
        expect.arrayContaining([
          '.gitignore',
          'README.md',
          'package.json',
          'tsconfig.build.json',
          'tsconfig.json',
        ]),
      );
      expect(read('src/index.ts')).toContain("id: 'tiny-game'");
      expect(`${read('src/index.ts')}${read('src/index.spec.ts')}${read('README.md')}`).not.toContain(
        'my-plugin',
      );
      expect(JSON.parse(read('package.json'))).toMatchObject({
        name: `espalier-${kind}-tiny-game`,
        peerDependencies: { '@espalier/plugin-kit': `^${kitVersion}` },
      });
      expect(readdirSync(home).filter((name) => name.endsWith('.partial'))).toEqual([]);
    },
  );

  it('refuses an unknown kind', () => {
    const kind = 'game' as PluginKind;
    expect(() => createPlugin({ kind, id: 'maze' })).toThrow(
      'unknown kind "game"; expected environment, reward',
    );
  });

  it('asks for the tools that this repository tests with', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const kit = JSON.parse(readFileSync(join(root, 'libs/plugin-kit/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const [name, version] of Object.entries(toolVersions))
      expect([name, version]).toEqual([name, devDependencies[name] ?? kit.dependencies[name]]);
  });

  it.each(['', 'Guess', '-guess', 'guess-', 'a b', '../guess', 'gu__ess', 'a'.repeat(101)])(
    'refuses the id "%s" and writes nothing',
    (id) => {
      const folder = place(`refused-${id.length}`);
      expect(() => createPlugin({ kind: 'reward', id, folder })).toThrow(
        'expected lower-case words joined by dashes',
      );
      expect(existsSync(folder)).toBe(false);
    },
  );

  it('refuses a folder that holds something, and a file', () => {
    mkdirSync(place('full'));
    writeFileSync(join(place('full'), 'notes.txt'), 'mine');
    expect(() => createPlugin({ kind: 'reward', id: 'brief', folder: place('full') })).toThrow(
      'it is not empty',
    );
    expect(readdirSync(place('full'))).toEqual(['notes.txt']);
    const file = join(place('full'), 'notes.txt');
    expect(() => createPlugin({ kind: 'reward', id: 'brief', folder: file })).toThrow(
      'choose another folder',
    );
    const below = join(file, 'below');
    expect(() => createPlugin({ kind: 'reward', id: 'brief', folder: below })).toThrow('is a file');
  });

  it('fills an empty folder', () => {
    mkdirSync(place('empty'));
    createPlugin({ kind: 'reward', id: 'brief', folder: place('empty') });
    expect(readdirSync(place('empty'))).toContain('package.json');
  });

  it.skipIf(process.getuid?.() === 0)('leaves nothing behind where it may not write', () => {
    mkdirSync(place('locked'));
    chmodSync(place('locked'), 0o500);
    const folder = join(place('locked'), 'mine');
    expect(() => createPlugin({ kind: 'reward', id: 'brief', folder })).toThrow('no permission');
    expect(readdirSync(place('locked'))).toEqual([]);
  });

  it('leaves nothing behind where the name is too long for the system', () => {
    const parent = place('parent');
    const folder = join(parent, 'x'.repeat(250));
    expect(() => createPlugin({ kind: 'reward', id: 'brief', folder })).toThrow('its name is too long');
    expect(existsSync(parent)).toBe(false);
  });
});

describe('the kit of tarballs', () => {
  const tarballs = place('tarballs');
  const pack = (name: string, dependencies: Record<string, string>, folder = tarballs): string => {
    mkdirSync(join(place('staging'), 'package'), { recursive: true });
    mkdirSync(folder, { recursive: true });
    const manifest = JSON.stringify({ name, version: '0.1.0', dependencies });
    writeFileSync(join(place('staging'), 'package', 'package.json'), manifest);
    const tar = execFileSync('tar', ['-cf', '-', '-C', place('staging'), 'package/package.json']);
    const file = join(folder, `${name.replace('@', '').replace('/', '-')}-0.1.0.tgz`);
    writeFileSync(file, gzipSync(tar));
    return file;
  };

  it('is named in the manifest with all that it needs, and nothing else', () => {
    const kit = pack('@espalier/plugin-kit', { '@espalier/graph': '0.1.0', zod: '4.0.0' });
    const graph = pack('@espalier/graph', { '@espalier/contracts': '0.1.0' });
    const contracts = pack('@espalier/contracts', {});
    pack('@espalier/runtime', {});
    writeFileSync(join(tarballs, 'broken.tgz'), 'no archive');
    for (const given of [tarballs, kit]) {
      const folder = createPlugin({
        kind: 'reward',
        id: 'brief',
        folder: place(`kit-${given.length}`),
        kit: given,
      });
      const { devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        devDependencies: Record<string, string>;
      };
      const own = Object.entries(devDependencies).filter(([name]) => name.startsWith('@espalier/'));
      expect(Object.fromEntries(own)).toEqual({
        '@espalier/plugin-kit': `file:${kit}`,
        '@espalier/graph': `file:${graph}`,
        '@espalier/contracts': `file:${contracts}`,
      });
    }
  });

  it('is refused where it is missing or lacks something, before anything is written', () => {
    const alone = place('alone');
    const folder = place('unwritten');
    const create = (kit: string) => () => createPlugin({ kind: 'reward', id: 'brief', folder, kit });
    expect(create(place('nowhere'))).toThrow(
      'it does not exist; give --kit the folder that npm run pack fills',
    );
    mkdirSync(alone);
    expect(create(alone)).toThrow('it has no tarball of @espalier/plugin-kit');
    pack('@espalier/plugin-kit', { '@espalier/graph': '0.1.0' }, alone);
    expect(create(alone)).toThrow('it has no tarball of @espalier/graph, which the kit needs');
    expect(existsSync(folder)).toBe(false);
  });
});

describe('the program', () => {
  const main = join(root, 'libs/create-plugin/dist/main.js');
  const create = (...words: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [main, ...words], {
      cwd: home,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('writes a plugin and says what to do next', () => {
    const { status, stdout } = create('environment', 'maze');
    expect(status).toBe(0);
    expect(stdout).toContain(
      'espalier-environment-maze: written. Next:\n  cd espalier-environment-maze\n  npm install',
    );
    expect(stdout).toContain('Where it is not published, run `npm run pack`');
  });

  it.each([
    [[], 'its kind is missing; give <kind> <id>', 2],
    [['environment'], 'its id is missing', 2],
    [['game', 'maze'], 'unknown kind "game"; expected environment, reward, algorithm, model', 2],
    [['reward', 'a', 'b'], "Unexpected argument 'b'", 2],
    [['reward', 'a', '--force'], "Unknown option '--force'", 2],
    [['environment', 'maze'], 'espalier-environment-maze: it is not empty', 3],
  ])('answers %j with %s', (words, finding, code) => {
    const { status, stderr } = create(...words);
    expect([status, stderr]).toEqual([code, expect.stringContaining(finding)]);
  });
});
