import { spawnSync } from 'node:child_process';
import { isAppError, type AppError } from '@espalier/contracts';
import { editDistance, nearestKey } from '@espalier/contracts/nearest-key';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  applyOverrides,
  generateRunSpecSchema,
  generateWarmStartSchema,
  loadConfig,
  parseConfig,
} from './index.js';
import { parseValue } from './load-config.js';

function findingOf(call: () => unknown): AppError {
  try {
    call();
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseConfig', () => {
  it('records the position of each key', () => {
    const { positions, origins } = parseConfig('a:\n  b: 1\nlist:\n  - { c: 2 }\n', 'f.yaml');
    expect(positions.get('a.b')).toBe('2:3');
    expect(positions.get('list.0.c')).toBe('4:7');
    expect(origins.get('a.b')).toBe('file');
  });

  it.each([
    ['a: 1\na: 2\n', 'f.yaml:2:1'],
    ['a: [1, 2\n', 'f.yaml:'],
    ['- 1\n', 'the top level is not a mapping'],
  ])('rejects %j', (text, part) => {
    expect(() => parseConfig(text, 'f.yaml')).toThrow(part);
  });

  it('rejects aliases that expand exponentially', () => {
    const lines = ['a: &a [1,1,1,1,1,1,1,1,1,1]'];
    for (const [name, last] of [
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'c'],
      ['e', 'd'],
    ]) {
      lines.push(`${name}: &${name} [${Array(10).fill(`*${last}`).join(',')}]`);
    }
    expect(() => parseConfig(lines.join('\n'), 'f.yaml')).toThrow('write the values out');
  });
});

describe('parseConfig with hostile text', () => {
  it.each([
    ['a set in place of a mapping', 'rollout: !!set {a, b}\n', 'Unresolved tag'],
    ['a set of an older YAML', '%YAML 1.1\n---\nrollout: !!set {a, b}\n', 'Unresolved tag'],
    ['a mapping inside itself', 'a: &a {x: *a}\n', 'f.yaml: nested more than 32 levels deep, or an alias'],
    ['a list inside itself', 'a: &a [*a]\n', 'f.yaml: nested more than 32 levels deep, or an alias'],
    ['sixty thousand brackets', `a: ${'['.repeat(60_000)}`, 'nested more than 32 levels deep'],
    ['thirty thousand keys of keys', '? '.repeat(30_000), 'nested more than 32 levels deep'],
    ['keys of keys at the edge of the stack', '? '.repeat(1500), 'nested more than 32 levels deep'],
    ['thirty thousand lists in a line', '- '.repeat(30_000), 'nested more than 32 levels deep'],
    ['a mapping 40 deep', `${'{a: '.repeat(40)}1${'}'.repeat(40)}`, 'nested more than 32 levels deep'],
    ['a zero byte', 'a\0b: 1\n', 'f.yaml: the control character 0x00 at character 1'],
    ['an undefined alias', 'a: *nope\n', 'write the values out'],
    ['a very long tag', '!'.repeat(60_000), 'correct the YAML'],
    ['two documents', 'a: 1\n---\na: 2\n', 'f.yaml:2:1'],
  ])('rejects %s with a short message', (_what, text, part) => {
    const finding = findingOf(() => parseConfig(text, 'f.yaml'));
    expect(finding).toMatchObject({
      code: 'config.unreadable',
      message: expect.stringContaining(part) as string,
    });
    expect(finding.message.length).toBeLessThan(300);
  });

  it('treats a merge key as an ordinary key', () => {
    expect(parseConfig('a: &a { x: 1 }\nb: { <<: *a }\n', 'f.yaml').value).toEqual({
      a: { x: 1 },
      b: { '<<': { x: 1 } },
    });
  });
});

describe('loadConfig', () => {
  // V8 aborts when it compiles a regular expression at the end of the stack, which any use of it may trigger
  it.each([30_000, 1500])('does not crash a process that parses %i nested keys twice', (count) => {
    const program = new URL('../dist/index.js', import.meta.url).href;
    const script = `
      const { parseConfig } = await import(${JSON.stringify(program)});
      for (const _ of [1, 2])
        try { parseConfig('? '.repeat(${count}), 'f.yaml'); } catch ({ code }) { console.log(code); }`;
    const words = ['--input-type=module', '-e', script];
    const { stdout, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
    expect([stdout, status]).toEqual(['config.unreadable\nconfig.unreadable\n', 0]);
  });

  it('reports a missing file', () => {
    expect(() => loadConfig('no/such.yaml')).toThrow('no/such.yaml: no such file');
  });
});

describe('applyOverrides', () => {
  it('parses values as YAML without changing the input', () => {
    const input = parseConfig('a: { b: 1 }\nlist: [{ c: 1 }]\n', 'f.yaml');
    const { value, origins } = applyOverrides(input, ['a.b=true', 'a.d.e=[1, 2]', 'list.0.c=x']);
    expect(value).toEqual({ a: { b: true, d: { e: [1, 2] } }, list: [{ c: 'x' }] });
    expect(origins.get('a.d.e')).toBe('--set');
    expect(input.value).toEqual({ a: { b: 1 }, list: [{ c: 1 }] });
  });

  it.each(['a', '=1', 'a..b=1', 'a.b.c=1', 'list.x=1', '__proto__.x=1'])('rejects %s', (assignment) => {
    expect(() => applyOverrides(parseConfig('a: { b: 1 }\nlist: []\n', 'f.yaml'), [assignment])).toThrow(
      '--set',
    );
  });
});

describe('applyOverrides with hostile words', () => {
  it.each([
    ['an index in hexadecimal', 'list.0x0.c=1', 'config.unknown_key', 'there is no list.0x0'],
    ['an index of a space', 'list. .c=1', 'config.unknown_key', 'there is no list. '],
    ['an index past the end', 'list.9.c=1', 'config.unknown_key', 'there is no list.9'],
    ['a scalar on the way', 'a.b=1', 'config.wrong_type', 'a is 1 and has no keys'],
    [
      'deeply nested brackets',
      `a=${'['.repeat(20_000)}`,
      'config.wrong_type',
      'nested more than 32 levels deep',
    ],
    ['a tag', 'a=!!set {x}', 'config.wrong_type', 'Unresolved tag'],
    ['a path of 2001 parts', `${'a.'.repeat(2000)}b=1`, 'config.wrong_type', 'expected path=value'],
  ])('rejects %s with a short message', (_what, assignment, code, part) => {
    const input = parseConfig('a: 1\nlist: [{ c: 1 }]\n', 'f.yaml');
    const finding = findingOf(() => applyOverrides(input, [assignment]));
    expect(finding).toMatchObject({ code, message: expect.stringContaining(part) as string });
    expect(finding.message.length).toBeLessThan(400);
  });

  it('treats names of Object.prototype as ordinary keys', () => {
    const { value } = applyOverrides(parseConfig('a: {}\n', 'f.yaml'), ['a.toString.x=1']);
    expect(value).toEqual({ a: { toString: { x: 1 } } });
  });

  it('uses the last of two values', () => {
    expect(applyOverrides(parseConfig('a: 1\n', 'f.yaml'), ['a=2', 'a=3']).value).toEqual({ a: 3 });
  });
});

describe('nearestKey', () => {
  it('counts a transposition as one edit', () => {
    expect(editDistance('membres', 'members')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('ignores case and dashes, and finds nothing for unrelated words', () => {
    expect(nearestKey('clip_ratio', ['clipRatio', 'other'])).toBe('clipRatio');
    expect(nearestKey('elephant', ['clipRatio', 'other'])).toBeUndefined();
  });
});

describe('generateRunSpecSchema', () => {
  it('contains every core option with its description', () => {
    const schema = generateRunSpecSchema({ list: () => [] }) as {
      properties: Record<string, { description?: string }>;
    };
    expect(schema.properties['steps']?.description).toContain('iterations');
    expect(Object.keys(schema.properties)).toContain('criticOptimizer');
  });

  it.each([
    ['a: 1\nb:\n  c: 1\n  c: 2\n', '4:3'],
    ['a: 1\n"a": 2\n', '2:1'],
    ['{ a: 1, b: 2, a: 3 }', '1:15'],
    ['- x: 1\n- { y: 1, y: 2 }\n', '2:11'],
  ])('rejects %j: a key is repeated, at %s', (text, place) => {
    expect(() => parseConfig(text, 'x.yaml')).toThrow(
      `x.yaml:${place}: Map keys must be unique; correct the YAML`,
    );
    expect(() => parseValue(text)).toThrow('Map keys must be unique');
  });

  it('looks for repeated keys in linear time', () => {
    const seconds = (keys: number): number => {
      const text = Array.from({ length: keys }, (_, i) => `k${i}: 1`).join('\n');
      const begin = process.cpuUsage();
      parseConfig(text, 'x.yaml');
      return process.cpuUsage(begin).user / 1e6;
    };
    seconds(2000);
    const few = seconds(900);
    const many = seconds(7200);
    expect(many / Math.max(few, 0.02)).toBeLessThan(25);
  });

  it.each(['? [a, b]\n: 1\n', '{ a: b }: 1\n', 'x: &a [1]\n*a : 2\n'])(
    'rejects %j: a key that is not a word',
    (text) => {
      expect(() => parseConfig(text, 'x.yaml')).toThrow(/a key is a list, a mapping or an alias/);
    },
  );
});

describe('the JSON Schemas', () => {
  const sprout = { kind: 'model', id: 'sprout', summary: 'a model', params: z.strictObject({}) };
  const registry = { list: () => [sprout] };
  type Schema = {
    readonly properties?: Record<string, Schema>;
    readonly description?: string;
    readonly items?: Schema;
  };

  /** Paths of options without a description. */
  const undocumented = (schema: Schema, path = ''): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, option]) => [
      ...(option.description === undefined ? [`${path}${name}`] : []),
      ...undocumented(option, `${path}${name}.`),
      ...undocumented(option.items ?? {}, `${path}${name}.`),
    ]);

  it('describe each option', () => {
    expect(undocumented(generateRunSpecSchema(registry))).toEqual([]);
    expect(undocumented(generateWarmStartSchema(registry))).toEqual([]);
  });

  it('accept a shape or the name of an existing model as model of a warm start', () => {
    const { properties } = generateWarmStartSchema(registry) as {
      properties: { model: { anyOf: { properties: Record<string, object> }[] } };
    };
    const [shape, plugin, folder, hub] = properties.model.anyOf.map((branch) => branch.properties);
    expect(Object.keys(shape ?? {})).toContain('hiddenSize');
    expect(plugin?.['use']).toMatchObject({ const: 'sprout' });
    expect(Object.keys(folder ?? {})).toEqual(['path']);
    expect(Object.keys(hub ?? {})).toEqual(['hub', 'revision']);
  });
});
