import { describe, expect, it } from 'vitest';
import { hintOf, isCommaList, kindOf, pluginsOf, readField, type Schema, schemaAt } from './spec-schema.js';
import { contextAt } from './yaml-context.js';
import { readProblems } from './problems.js';
import { changesOf, overridesOf, toStartText } from './spec-text.js';

const schema: Schema = {
  type: 'object',
  properties: {
    steps: { type: 'integer', default: 20, unit: 'iterations' },
    algorithm: {
      anyOf: [
        { properties: { use: { const: 'grpo' }, clipLow: { type: 'number' } } },
        { properties: { use: { const: 'ppo' }, lambda: { type: 'number' } } },
      ],
    },
    rewards: { type: 'array', items: { anyOf: [{ properties: { use: { const: 'length' }, weight: {} } }] } },
    environments: { type: 'object', additionalProperties: { properties: { share: { type: 'number' } } } },
  },
};
const at = (text: string) => {
  const offset = text.indexOf('|');
  return contextAt(text.replace('|', ''), offset);
};

describe('the schema of a spec', () => {
  it('is followed along the plugin that the value names', () => {
    const value = { algorithm: { use: 'ppo' }, rewards: [{ use: 'length' }], environments: { a: {} } };
    expect(Object.keys(schemaAt(schema, ['algorithm'], value)?.properties ?? {})).toEqual(['use', 'lambda']);
    expect(Object.keys(schemaAt(schema, ['rewards', 0], value)?.properties ?? {})).toContain('weight');
    expect(schemaAt(schema, ['environments', 'a', 'share'], value)).toEqual({ type: 'number' });
    expect(schemaAt(schema, ['algorithm', 'clipLow'], value)).toBeUndefined();
  });

  it('says how an option is edited, and what was typed', () => {
    expect(pluginsOf(schema.properties?.['algorithm'])).toEqual(['grpo', 'ppo']);
    expect(kindOf(schema.properties?.['algorithm'] ?? {})).toBe('plugin');
    expect(hintOf(schema.properties?.['steps'] ?? {})).toBe('20 iterations');
    expect([readField('number', ' 1e-4 '), readField('number', 'many'), readField('number', ' ')]).toEqual([
      1e-4,
      'many',
      undefined,
    ]);
    expect(kindOf(schema.properties?.['rewards'] ?? {})).toBe('plugins');
    expect(kindOf({ type: 'array', items: { type: 'string' } })).toBe('strings');
    expect(kindOf(schema.properties?.['environments'] ?? {})).toBe('other');
    expect([readField('strings', ' a, b,, '), readField('strings', ' ')]).toEqual([['a', 'b'], undefined]);
    expect([['a', 'b c'], ['a,b'], ['\n'], [1], 'a'].map(isCommaList)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect([readField('boolean', 'false'), readField('text', 'a b')]).toEqual([false, 'a b']);
  });
});

describe('the place of the cursor', () => {
  it.each([
    ['st|', [], undefined, 'st'],
    ['steps: 2|', [], 'steps', '2'],
    ['rollout:\n  gro|', ['rollout'], undefined, 'gro'],
    ['rollout:\n  prompt:\n    a: 1\n  gro|', ['rollout'], undefined, 'gro'],
    ['rollout:\n  prompt:\n    preset: r|', ['rollout', 'prompt'], 'preset', 'r'],
    ['algorithm: { use: p|', ['algorithm'], 'use', 'p'],
    ['algorithm: { use: ppo, la|', ['algorithm'], undefined, 'la'],
    ['rollout: { prompt: { th|', ['rollout', 'prompt'], undefined, 'th'],
    ['rollout: { prompt: { a: 1 }, g|', ['rollout'], undefined, 'g'],
    ['rewards:\n  - use: a\n    wei|', ['rewards', 0], undefined, 'wei'],
    ['rewards:\n  - use: a\n  - use: l|', ['rewards', 1], 'use', 'l'],
    ['a:\n  b: 1\n\n# about\nst|', [], undefined, 'st'],
  ])('in %j', (text, path, key, word) => {
    expect(at(text)).toEqual({ path, word, ...(key === undefined ? {} : { key }) });
  });
});

describe('what the server refuses', () => {
  it('is shown at its line and at its option', () => {
    const problems = ['spec:3:5: rollout.stepz is unknown; did you mean "steps"?', 'no place: too much'];
    expect(readProblems({ problems })).toEqual([
      {
        line: 3,
        column: 5,
        path: 'rollout.stepz',
        message: 'rollout.stepz is unknown; did you mean "steps"?',
      },
      { line: 1, column: 1, path: '', message: 'no place: too much' },
    ]);
    expect(readProblems({})).toEqual([]);
  });
});

describe('the text to start from', () => {
  it('is what was written with what was changed on top, or the whole spec', () => {
    const written = '# about\nsteps: 3 # few\n';
    expect(toStartText(written, ['steps=5', 'optimizer.learningRate=1e-4', 'x=[1, 2]'], {})).toBe(
      '# about\nsteps: 5 # few\noptimizer:\n  learningRate: 0.0001\nx: [ 1, 2 ]\n',
    );
    expect(toStartText(null, [], { steps: 3, plugins: [] })).toBe('steps: 3\nplugins: []\n');
  });

  it('gives overrides that mean what was typed', () => {
    expect(overridesOf([{ path: 'a.b', value: '1e-4' }, { path: ' ', value: '1' }])).toEqual(['a.b=1e-4']); // prettier-ignore
    expect(changesOf({ a: { b: 1, c: 'x' }, d: [1] })).toEqual([
      ['a.b', '1'],
      ['a.c', '"x"'],
      ['d', '[1]'],
    ]);
  });
});
