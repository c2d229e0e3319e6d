import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAppError } from '@espalier/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverPlugins } from './discover.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-plugins-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Source text of a reward definition as plain data. */
const reward = (id: string, more = ''): string =>
  `{ kind: 'reward', id: '${id}', summary: 'A reward.', kit: '^0.1', params: { safeParse() {} }, score: () => ({ perTurn: [] }), ${more} }`;

function addPlugin(folder: string, code: string, name = folder.split('/').at(-1)): void {
  write(
    `${folder}/package.json`,
    JSON.stringify({ name, version: '0.3.0', type: 'module', exports: './main.js' }),
  );
  write(`${folder}/main.js`, code);
}

/** The error of the first broken plugin, or of the list of packages. */
async function finding(): Promise<{ code: string; message: string }> {
  try {
    const [first] = (await discoverPlugins({ root })).broken();
    if (first !== undefined) return { code: first.error.code, message: first.error.message };
  } catch (error) {
    if (isAppError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'none', message: '' };
}

describe('discoverPlugins', () => {
  it('finds folders under plugins and the packages that the file names, with their sources', async () => {
    addPlugin('plugins/rewards/near', `export default ${reward('near')};`);
    addPlugin(
      'node_modules/@someone/far',
      `export default [${reward('far')}, ${reward('farther')}];`,
      '@someone/far',
    );
    addPlugin('node_modules/not-named', 'throw new Error("loaded")');
    write('config/plugins.yaml', 'packages: ["@someone/far"]');
    const registry = await discoverPlugins({ root });
    expect(registry.list().map(({ id }) => id)).toEqual(['far', 'farther', 'near']);
    expect(registry.source('reward', 'far')).toEqual({
      package: '@someone/far',
      version: '0.3.0',
      folder: join(root, 'node_modules/@someone/far'),
    });
  });

  it('takes folders that are given besides, each package once however it is named', async () => {
    addPlugin('mine/one', `export default ${reward('one')};`);
    addPlugin('mine/two', `export default ${reward('two')};`);
    write('config/plugins.yaml', 'packages: [./mine/two]');
    const folders = ['mine/one', 'mine/two', 'mine/absent'].map((name) => join(root, name));
    const registry = await discoverPlugins({ root, folders });
    expect(registry.list().map(({ id }) => id)).toEqual(['one', 'two']);
    expect(registry.broken().map(({ folder }) => folder)).toEqual([join(root, 'mine/absent')]);
  });

  it('adds the built-in plugins, unless the workspace has the package itself', async () => {
    addPlugin('plugins/rewards/format', `export default ${reward('format')};`, '@espalier/reward-format');
    const registry = await discoverPlugins({ root, withBuiltIn: true });
    expect(registry.broken()).toEqual([]);
    expect(registry.list().map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      expect.arrayContaining(['environment bandit', 'algorithm grpo', 'model seedling', 'reward format']),
    );
    expect(registry.source('reward', 'format').folder).toBe(join(root, 'plugins/rewards/format'));
    expect(registry.source('environment', 'bandit').folder).toMatch(/plugins\/environments\/bandit$/);
  });

  it('unwraps a CommonJS package compiled from an ES module', async () => {
    write('plugins/rewards/old/package.json', JSON.stringify({ name: 'old', main: './main.cjs' }));
    write('plugins/rewards/old/main.cjs', `exports.__esModule = true; exports.default = ${reward('old')};`);
    expect((await discoverPlugins({ root })).get('reward', 'old').id).toBe('old');
  });

  it('names the nearest id and what is installed', async () => {
    addPlugin('plugins/rewards/a', `export default [${reward('format')}, ${reward('length')}];`);
    const registry = await discoverPlugins({ root });
    expect(() => registry.get('reward', 'formt')).toThrow('did you mean "format"? installed: format, length');
    expect(() => registry.get('environment', 'format')).toThrow('installed: none');
  });

  it.each([
    ['no default export', 'export const reward = 1;', /no default export; write `export default define/],
    ['an empty array', 'export default [];', /an empty array/],
    ['a function', 'export default () => 1;', /is a function; export what define/],
    ['no kind', `export default { id: 'x' };`, /has kind undefined; expected one of environment, reward/],
    [
      'a bad id',
      `export default ${reward('Not Good')};`,
      /reward "Not Good" has no valid id; write `id: 'my-game'`/,
    ],
    ['no params', `export default ${reward('x', 'params: undefined')};`, /z\.strictObject/],
    [
      'no function',
      `export default ${reward('x', 'score: 3')};`,
      /has no function "score"; add `score` to the object given to defineReward/,
    ],
    [
      'an unknown aggregation',
      `const hook = () => 1;
       export default ${reward('x', "kind: 'algorithm', needs: hook, keptShare: hook, select: hook, advantages: hook, policyLoss: hook, lossAggregation: 'mean'")};`,
      /algorithm "x" has lossAggregation "mean"; write one of token-mean, /,
    ],
  ])('suggests what to write: %s', async (_, code, message) => {
    addPlugin('plugins/rewards/faulty', code);
    const found = await finding();
    expect(found.code).toBe('plugin.invalid_definition');
    expect(found.message).toContain('load plugin package "faulty"');
    expect(found.message).toMatch(message);
  });

  it('rejects a definition made for another kit', async () => {
    addPlugin('plugins/rewards/late', `export default ${reward('late', "kit: '^2.0'")};`);
    expect(await finding()).toMatchObject({
      code: 'plugin.version_mismatch',
      message: expect.stringContaining('was made for kit ^2.0, but this is kit 0.1.0') as string,
    });
  });

  it('rejects two definitions with one id and names both folders', async () => {
    addPlugin('plugins/rewards/one', `export default ${reward('twin')};`);
    addPlugin('plugins/rewards/two', `export default ${reward('twin')};`);
    const { code, message } = await finding();
    expect(code).toBe('plugin.duplicate_id');
    expect(message).toContain('plugins/rewards/one');
    expect(message).toContain('plugins/rewards/two');
  });

  it('reports a package that is not built, throws or is not installed, and a malformed file', async () => {
    write(
      'plugins/rewards/raw/package.json',
      JSON.stringify({ name: 'raw', exports: { '.': { default: './dist/x.js' } } }),
    );
    expect((await finding()).message).toMatch(/dist\/x\.js does not exist .*npm run build/);
    rmSync(join(root, 'plugins'), { recursive: true });
    addPlugin('plugins/rewards/loud', 'throw new Error("no luck");');
    expect((await finding()).message).toContain('throws on import: no luck');
    rmSync(join(root, 'plugins'), { recursive: true });
    write('config/plugins.yaml', 'packages: [absent]');
    expect((await finding()).message).toContain('npm install absent');
    write('config/plugins.yaml', 'package: [absent]');
    expect((await finding()).message).toContain('the single key "packages"');
    expect((await finding()).code).toBe('plugin.unreadable');
  });

  it('leaves out a broken plugin and throws its error only where it is used', async () => {
    addPlugin('plugins/rewards/good', `export default ${reward('good')};`);
    addPlugin('plugins/rewards/loud', 'throw new Error("no luck");', 'loud-of-somebody');
    addPlugin('plugins/rewards/odd', `export default ${reward('odd', "kit: '^9.0'")};`);
    write('plugins/rewards/empty/src/index.ts', '');
    write('plugins/rewards/null/package.json', 'null');
    write('config/plugins.yaml', 'packages: [absent, absent]');
    const registry = await discoverPlugins({ root });
    expect(registry.list().map(({ id }) => id)).toEqual(['good']);
    expect(registry.broken().map(({ package: name, error }) => [name, error.code])).toEqual([
      ['empty', 'plugin.unreadable'],
      ['loud-of-somebody', 'plugin.unreadable'],
      ['null', 'plugin.unreadable'],
      ['odd', 'plugin.version_mismatch'],
      ['absent', 'plugin.unreadable'],
    ]);
    expect(() => registry.get('reward', 'loud')).toThrow('throws on import: no luck');
    expect(() => registry.get('reward', 'empty')).toThrow(
      /rewards.empty": package\.json is missing; write one/,
    );
    expect(() => registry.get('environment', 'loud')).toThrow(
      'installed: none; broken and left out: empty, loud-of-somebody, null, odd, absent',
    );
    expect(registry.failure('reward', 'loud')?.message).toContain('no luck');
    expect([registry.failure('reward', 'good'), registry.failure('reward', 'nothing')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('lists the source and health of every plugin', async () => {
    addPlugin('plugins/rewards/good', `export default ${reward('good')};`);
    addPlugin('plugins/rewards/loud', 'throw new Error("no luck");');
    addPlugin('node_modules/far', `export default ${reward('distant')};`);
    write('config/plugins.yaml', 'packages: [far]');
    expect((await discoverPlugins({ root })).inventory()).toEqual([
      {
        kind: 'reward',
        id: 'distant',
        package: 'far',
        version: '0.3.0',
        origin: 'package',
        folder: join(root, 'node_modules/far'),
        isolation: 'process',
        health: 'ok',
        summary: 'A reward.',
      },
      {
        kind: 'reward',
        id: 'good',
        package: 'good',
        version: '0.3.0',
        origin: 'folder',
        folder: join(root, 'plugins/rewards/good'),
        isolation: 'none',
        health: 'ok',
        summary: 'A reward.',
      },
      {
        kind: 'reward',
        id: 'loud',
        package: 'loud',
        version: '0.3.0',
        origin: 'folder',
        folder: join(root, 'plugins/rewards/loud'),
        health: 'broken',
        message: expect.stringContaining('no luck') as unknown,
      },
    ]);
  });

  it('reports a package one folder too high', async () => {
    addPlugin('plugins/maze', `export default ${reward('maze')};`);
    expect(await finding()).toEqual({
      code: 'plugin.unreadable',
      message: expect.stringMatching(/plugins.maze": it is directly in plugins\/; move it to/) as unknown,
    });
  });

  it('marks all plugins that share an id as broken, and nothing else', async () => {
    addPlugin('plugins/rewards/one', `export default [${reward('twin')}, ${reward('alone')}];`);
    addPlugin('plugins/rewards/two', `export default ${reward('twin')};`);
    const registry = await discoverPlugins({ root });
    expect(registry.list().map(({ id }) => id)).toEqual(['alone']);
    expect(registry.broken().map(({ kind, id, package: name }) => [kind, id, name])).toEqual([
      ['reward', 'twin', 'one'],
      ['reward', 'twin', 'two'],
    ]);
    expect(() => registry.get('reward', 'twin')).toThrow(/is defined by "one" .* and by "two"/);
  });
});
