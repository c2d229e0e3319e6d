import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { applyOverrides, parseConfig } from '@espalier/config/plain';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelFoldersOf, readConfig } from './read-config.js';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'espalier-config-'))));
afterEach(() => rmSync(root, { recursive: true }));

const read = (model: string, ...set: string[]) => {
  const file = join(root, 'run.yaml');
  writeFileSync(file, `name: tried\nmodel: ${model}\n`);
  return readConfig(file, set);
};
/** The model that a server reads. */
const modelOf = ({ source, overrides }: ReturnType<typeof readConfig>): unknown =>
  applyOverrides(parseConfig(source, 'spec'), overrides).value['model'];

const adapter = '{ path: ./a, base: { path: ./b, base: { path: ./c } } }';

describe('a configuration that is sent', () => {
  it('has the whole paths of a model and its bases', () => {
    const sent = read(adapter);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => resolve(name));
    expect(modelOf(sent)).toEqual({ path: a, base: { path: b, base: { path: c } } });
    expect(modelFoldersOf(sent)).toEqual([a, b, c]);
    expect(modelOf(read('{ path: ./a }'))).toEqual({ path: a });
  });

  it.each([
    ['hub', 'o/n'],
    ['use', 'seedling'],
    ['path', '/other'],
  ])('forgets the base of its file where model.%s names another model', (key, name) => {
    expect(modelOf(read(adapter, `model.${key}=${name}`))).toEqual({ [key]: name });
  });

  it('says nothing of a model that means the same on every machine', () => {
    for (const model of ['{ hub: o/n }', '{ path: /a, base: { hub: o/n } }'])
      expect(read(model).overrides).toEqual([]);
  });
});
