import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resolveDeployment } from './resolve-deployment.js';

const schema = z.strictObject({
  name: z.string().default('here'),
  port: z.int().min(1).default(3000),
  labels: z.array(z.string()).default([]),
  secret: z.string().regex(/^s_/, 'expected s_ and more').optional(),
  database: z.strictObject({ url: z.string().optional(), maxConnections: z.int().default(4) }).prefault({}),
});

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-deployment-'));
  file = join(folder, 'server.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const resolve = (env: Record<string, string> = {}): unknown => {
  try {
    return resolveDeployment(schema, file, env, 'ESPALIER__SERVER');
  } catch (error) {
    return (error as Error).message;
  }
};

describe('resolveDeployment', () => {
  it('uses defaults when there is no file', () => {
    expect(resolve()).toEqual({ name: 'here', port: 3000, labels: [], database: { maxConnections: 4 } });
  });

  it('overrides the file with variables, named by the path of the key in any case', () => {
    writeFileSync(file, 'port: 4000\ndatabase: { url: file, maxConnections: 8 }\n');
    const env = {
      ESPALIER__SERVER__DATABASE__MAXCONNECTIONS: '2',
      espalier__server__labels: '[big, fast]',
      ESPALIER__WORKER__NAME: 'of somebody else',
      ESPALIER__SERVER__PORT: '',
    };
    const database = { url: 'file', maxConnections: 2 };
    expect(resolve(env)).toEqual({ name: 'here', port: 4000, labels: ['big', 'fast'], database });
  });

  it('keeps text that looks like a number for text options', () => {
    expect(resolve({ ESPALIER__SERVER__NAME: '007' })).toMatchObject({ name: '007' });
  });

  it.each([
    [
      'unknown keys',
      { ESPALIER__SERVER__PROT: '1' },
      'ESPALIER__SERVER__PROT: unknown key prot; did you mean port?',
    ],
    [
      'unknown keys inside',
      { ESPALIER__SERVER__DATABASE__URI: 'x' },
      'ESPALIER__SERVER__DATABASE__URI: unknown key database.uri; did you mean url?',
    ],
    [
      'wrong values',
      { ESPALIER__SERVER__PORT: '0' },
      'ESPALIER__SERVER__PORT: port is 0; expected at least 1',
    ],
    ['invalid YAML', { ESPALIER__SERVER__LABELS: '[a' }, 'ESPALIER__SERVER__LABELS: '],
  ])('rejects %s of a variable, naming it', (_what, env, sentence) => {
    expect(resolve(env)).toContain(sentence);
  });

  it('says what a value should be in the words of its option, and shows no secret', () => {
    writeFileSync(file, 'secret: hunter2\n');
    expect(resolve()).toBe(`${file}:1:1: secret has another form; expected s_ and more`);
  });

  it('rejects an unknown key of the file, naming its position', () => {
    writeFileSync(file, 'name: x\nprot: 1\n');
    expect(resolve()).toContain('server.yaml:2:1: unknown key prot; did you mean port?');
  });
});
