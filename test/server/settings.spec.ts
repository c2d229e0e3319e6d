import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveDeployment } from '@espalier/config';
import { serverOptions } from '@espalier/server';
import { workerOptions } from '@espalier/worker';
import { afterAll, describe, expect, it } from 'vitest';

describe('config/server.yaml', () => {
  const text = readFileSync('config/server.yaml', 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'espalier-settings-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const resolve = (content: string, env: Record<string, string> = {}) => {
    const file = join(folder, 'server.yaml');
    writeFileSync(file, content);
    return resolveDeployment(serverOptions, file, env, 'ESPALIER__SERVER');
  };

  const lines = text.split('\n');
  const isDefault = (line: string): boolean => /^ *#\w+: ./.test(line);
  const switchOn = (chosen: (line: string, at: number) => boolean): string =>
    lines.map((line, at) => (isDefault(line) && chosen(line, at) ? line.replace('#', '') : line)).join('\n');

  it('means the defaults, as it is and with every line switched on', () => {
    expect(resolve(text)).toEqual(serverOptions.parse({}));
    const switchedOn = switchOn(() => true);
    expect(switchedOn).toMatch(/^port: 4500$/m);
    expect(switchedOn).toMatch(/^graphql:\n(?:.*\n)*? {2}maxDepth: 12$/m);
    expect(resolve(switchedOn)).toEqual(serverOptions.parse({}));
  });

  it('is valid with any one line switched on', () => {
    const defaults = lines.flatMap((line, at) => (isDefault(line) ? [at] : []));
    expect(defaults.length).toBeGreaterThan(40);
    for (const chosen of defaults)
      expect([lines[chosen], resolve(switchOn((_line, at) => at === chosen))]).toEqual([
        lines[chosen],
        serverOptions.parse({}),
      ]);
  });

  it('gives way to variables', () => {
    const options = resolve('port: 1\ngraphql:\n  maxDepth: 3\n', {
      ESPALIER__SERVER__GRAPHQL__MAXDEPTH: '5',
    });
    expect([options.port, options.graphql.maxDepth]).toEqual([1, 5]);
  });

  it.each([
    ['prot: 1', 'config.unknown_key', /port/],
    ['port: 70000', 'config.wrong_type', /65535/],
    ['graphql: { maxDepth: 0 }', 'config.wrong_type', /maxDepth/],
    ['access: { adminKey: [] }', 'config.wrong_type', /adminKey/],
    [
      'artifacts: { store: { driver: foo } }',
      'config.wrong_type',
      /"foo"; expected one of "directory", "s3"$/,
    ],
    [
      'leaseSeconds: 2\nheartbeatSeconds: 30',
      'config.wrong_type',
      /yaml:1:\d+: leaseSeconds is 2; with leaseSeconds 2 and heartbeatSeconds 30 .*at least 3 × heartbeatSeconds$/,
    ],
    ['heartbeatSeconds: 6', 'config.wrong_type', /yaml:1:\d+: heartbeatSeconds is 6; with leaseSeconds 15/],
    [
      'database: { kind: postgres }',
      'config.wrong_type',
      /kind is "postgres"; name the PostgreSQL server in database\.url$/,
    ],
    [
      'database: { url: "postgres://a/b" }',
      'config.wrong_type',
      /database\.kind is missing; database\.url names a PostgreSQL server, .*leave database\.url out$/,
    ],
  ])('refuses %s with its place', (content, code, sentence) => {
    expect(() => resolve(content)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(sentence) as string }) as Error,
    );
  });
});

describe('config/worker.yaml', () => {
  it('lists every setting, and means the defaults with every line switched on', () => {
    const text = readFileSync('config/worker.yaml', 'utf8');
    const folder = mkdtempSync(join(tmpdir(), 'espalier-settings-'));
    const file = join(folder, 'worker.yaml');
    writeFileSync(file, text.replaceAll(/^( *)#(?=\w)/gm, '$1'));
    const env = { ESPALIER__WORKER__KEY: 'k' };
    const options = resolveDeployment(workerOptions, file, env, 'ESPALIER__WORKER');
    rmSync(folder, { recursive: true });
    expect(options).toEqual(workerOptions.parse({ key: 'k' }));
    const { timing, ...shape } = workerOptions.shape;
    for (const name of [...Object.keys(shape), ...Object.keys(timing.def.innerType.shape)])
      expect(text).toMatch(new RegExp(`^ *# ?${name}: `, 'm'));
  });
});
