import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isBelowModelRoot } from './model-roots.js';

let root = '';
let models = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-roots-'));
  models = join(root, 'models');
  for (const folder of ['models/fine', 'models/linked', 'models-too', 'models/data/runs/other', 'secret'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'secret/model.safetensors'), '');
  writeFileSync(join(models, 'fine/config.json'), '{}');
});
afterEach(() => rmSync(root, { recursive: true }));

const isAllowed = (path: string): boolean =>
  isBelowModelRoot(path, { roots: [models], excluded: [join(models, 'data')] });

describe('isBelowModelRoot', () => {
  it('allows existing and missing paths under a root', () => {
    symlinkSync('../fine/config.json', join(models, 'linked/config.json'));
    for (const name of ['fine', 'linked', 'absent', 'absent/deep'])
      expect(isAllowed(join(models, name))).toBe(true);
  });

  it.each([
    ['without roots, anything', () => isBelowModelRoot(join(models, 'fine'), { roots: [], excluded: [] })],
    ['what lies elsewhere', () => isAllowed(join(root, 'secret'))],
    ['what is named alike', () => isAllowed(join(root, 'models-too'))],
    ['a way out', () => isAllowed(`${models}/fine/../../secret`)],
    ['a relative path', () => isAllowed('models/fine')],
    ['the runs of projects', () => isAllowed(join(models, 'data/runs/other'))],
  ])('refuses %s', (_what, ask) => expect(ask()).toBe(false));

  it.each([
    ['a link to a folder', 'linked-out', () => symlinkSync(join(root, 'secret'), join(models, 'linked-out'))],
    [
      'what is missing behind a link',
      'out/absent',
      () => symlinkSync(join(root, 'secret'), join(models, 'out')),
    ],
    [
      'weights that are a link',
      'linked',
      () => symlinkSync('../../secret/model.safetensors', join(models, 'linked/model.safetensors')),
    ],
    [
      'a link to the runs of projects',
      'linked',
      () => symlinkSync('../data/runs/other', join(models, 'linked/policy')),
    ],
  ])('refuses %s', (_what, name, link) => {
    link();
    expect(isAllowed(join(models, name))).toBe(false);
  });
});
