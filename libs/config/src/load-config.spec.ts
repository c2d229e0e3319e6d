import { spawnSync } from 'node:child_process';
import { type AppError, isAppError } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  applyOverrides,
  editDistance,
  generateRunSpecSchema,
  generateWarmStartSchema,
  loadConfig,
  nearestKey,
  parseConfig,
} from './index.js';

function findingOf(call: () => unknown): AppError {
  try {
    call();
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parseConfig', () => {
  it('remembers where each key was written', () => {
    const { positions, origins } = parseConfig('a:\n  b: 1\nlist:\n  - { c: 2 }\n', 'f.yaml');
    expect(positions.get('a.b')).toBe('2:3');
    expect(positions.get('list.0.c')).toBe('4:7');
    expect(origins.get('a.b')).toBe('file');
  });

  it.each([
    ['a: 1\na: 2\n', 'f.yaml:2:1'],
    ['a: [1, 2\n', 'f.yaml:'],
    ['- 1\n', 'the top level is no mapping'],
  ])('refuses %j', (text, part) => {
    expect(() => parseConfig(text, 'f.yaml')).toThrow(part);
  });

  it('refuses aliases that multiply', () => {
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
    ['a mapping inside itself', 'a: &a {x: *a}\n', 'f.yaml: nested deeper than 32, or an alias'],
    ['a list inside itself', 'a: &a [*a]\n', 'f.yaml: nested deeper than 32, or an alias'],
    ['sixty thousand brackets', `a: ${'['.repeat(60_000)}`, 'nested deeper than 32'],
    ['thirty thousand keys of keys', '? '.repeat(30_000), 'nested deeper than 32'],
    ['keys of keys at the edge of the stack', '? '.repeat(1500), 'nested deeper than 32'],
    ['thirty thousand lists in a line', '- '.repeat(30_000), 'nested deeper than 32'],
    ['a mapping 40 deep', `${'{a: '.repeat(40)}1${'}'.repeat(40)}`, 'nested deeper than 32'],
    ['a zero byte', 'a\0b: 1\n', 'f.yaml: the control character 0x00 at character 1'],
    ['an alias of nothing', 'a: *nope\n', 'write the values out'],
    ['an endless tag', '!'.repeat(60_000), 'correct the YAML'],
    ['two documents', 'a: 1\n---\na: 2\n', 'f.yaml:2:1'],
  ])('refuses %s in a short sentence', (_what, text, part) => {
    const finding = findingOf(() => parseConfig(text, 'f.yaml'));
    expect(finding).toMatchObject({
      code: 'config.unreadable',
      message: expect.stringContaining(part) as string,
    });
    expect(finding.message.length).toBeLessThan(300);
  });

  it('takes a merge key as a key like any other', () => {
    expect(parseConfig('a: &a { x: 1 }\nb: { <<: *a }\n', 'f.yaml').value).toEqual({
      a: { x: 1 },
      b: { '<<': { x: 1 } },
    });
  });
});

describe('loadConfig', () => {
  // V8 aborts where it compiles a regular expression at the end of the stack, which it may do at each of its uses
  it.each([30_000, 1500])('does not end a process that is given %i keys of keys twice', (count) => {
    const program = new URL('../dist/index.js', import.meta.url).href;
    const script = `
      const { parseConfig } = await import(${JSON.stringify(program)});
      for (const _ of [1, 2])
        try { parseConfig('? '.repeat(${count}), 'f.yaml'); } catch ({ code }) { console.log(code); }`;
    const words = ['--input-type=module', '-e', script];
    const { stdout, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
    expect([stdout, status]).toEqual(['config.unreadable\nconfig.unreadable\n', 0]);
  });

  it('says that a file is missing', () => {
    expect(() => loadConfig('no/such.yaml')).toThrow('no/such.yaml: no such file');
  });
});

describe('applyOverrides', () => {
  it('reads values as YAML and leaves the input as it was', () => {
    const input = parseConfig('a: { b: 1 }\nlist: [{ c: 1 }]\n', 'f.yaml');
    const { value, origins } = applyOverrides(input, ['a.b=true', 'a.d.e=[1, 2]', 'list.0.c=x']);
    expect(value).toEqual({ a: { b: true, d: { e: [1, 2] } }, list: [{ c: 'x' }] });
    expect(origins.get('a.d.e')).toBe('--set');
    expect(input.value).toEqual({ a: { b: 1 }, list: [{ c: 1 }] });
  });

  it.each(['a', '=1', 'a..b=1', 'a.b.c=1', 'list.x=1', '__proto__.x=1'])('refuses %s', (assignment) => {
    expect(() => applyOverrides(parseConfig('a: { b: 1 }\nlist: []\n', 'f.yaml'), [assignment])).toThrow(
      '--set',
    );
  });
});

describe('applyOverrides with hostile words', () => {
  it.each([
    ['an index written otherwise', 'list.0x0.c=1', 'config.unknown_key', 'there is no list.0x0'],
    ['an index of a space', 'list. .c=1', 'config.unknown_key', 'there is no list. '],
    ['an index past the end', 'list.9.c=1', 'config.unknown_key', 'there is no list.9'],
    ['a scalar on the way', 'a.b=1', 'config.wrong_type', 'a is 1 and holds no keys'],
    ['brackets without end', `a=${'['.repeat(20_000)}`, 'config.wrong_type', 'nested deeper than 32'],
    ['a tag', 'a=!!set {x}', 'config.wrong_type', 'Unresolved tag'],
    ['a path of 2001 parts', `${'a.'.repeat(2000)}b=1`, 'config.wrong_type', 'not of the form path=value'],
  ])('refuses %s in a short sentence', (_what, assignment, code, part) => {
    const input = parseConfig('a: 1\nlist: [{ c: 1 }]\n', 'f.yaml');
    const finding = findingOf(() => applyOverrides(input, [assignment]));
    expect(finding).toMatchObject({ code, message: expect.stringContaining(part) as string });
    expect(finding.message.length).toBeLessThan(400);
  });

  it('takes names of what every object has for keys like any other', () => {
    const { value } = applyOverrides(parseConfig('a: {}\n', 'f.yaml'), ['a.toString.x=1']);
    expect(value).toEqual({ a: { toString: { x: 1 } } });
  });

  it('takes the last of two values', () => {
    expect(applyOverrides(parseConfig('a: 1\n', 'f.yaml'), ['a=2', 'a=3']).value).toEqual({ a: 3 });
  });
});

describe('nearestKey', () => {
  it('counts swapped neighbours as one edit', () => {
    expect(editDistance('membres', 'members')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('ignores case and dashes and gives up on strangers', () => {
    expect(nearestKey('clip_ratio', ['clipRatio', 'other'])).toBe('clipRatio');
    expect(nearestKey('elephant', ['clipRatio', 'other'])).toBeUndefined();
  });
});

describe('generateRunSpecSchema', () => {
  it('offers every option of the core with its documentation', () => {
    const schema = generateRunSpecSchema({ list: () => [] }) as {
      properties: Record<string, { description?: string }>;
    };
    expect(schema.properties['steps']?.description).toContain('iterations');
    expect(Object.keys(schema.properties)).toContain('criticOptimizer');
  });

  it.each(['? [a, b]\n: 1\n', '{ a: b }: 1\n', 'x: &a [1]\n*a : 2\n'])(
    'refuses %j: a key that is no word',
    (text) => {
      expect(() => parseConfig(text, 'x.yaml')).toThrow(/a key that is a list, a mapping or an alias/);
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

  /** Paths of options without a sentence. */
  const silent = (schema: Schema, path = ''): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, option]) => [
      ...(option.description === undefined ? [`${path}${name}`] : []),
      ...silent(option, `${path}${name}.`),
      ...silent(option.items ?? {}, `${path}${name}.`),
    ]);

  it('say what each option means', () => {
    expect(silent(generateRunSpecSchema(registry))).toEqual([]);
    expect(silent(generateWarmStartSchema(registry))).toEqual([]);
  });

  it('let the model of a warm start be a shape, an installed model or a folder', () => {
    const { properties } = generateWarmStartSchema(registry) as {
      properties: { model: { anyOf: { properties: Record<string, object> }[] } };
    };
    const [shape, plugin, folder] = properties.model.anyOf.map((branch) => branch.properties);
    expect(Object.keys(shape ?? {})).toContain('hiddenSize');
    expect(plugin?.['use']).toMatchObject({ const: 'sprout' });
    expect(folder?.['use']).toMatchObject({ description: 'folder of a model' });
  });
});
