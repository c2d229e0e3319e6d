import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readImportFolder } from './import-folder.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-import-'));
  mkdirSync(join(root, 'run'));
  const plugin = { use: 'x' };
  const spec = {
    name: 'n',
    seed: 1,
    steps: 1,
    environment: plugin,
    algorithm: plugin,
    model: plugin,
    update: {},
  };
  writeFileSync(join(root, 'run/spec.json'), JSON.stringify(spec));
  writeFileSync(join(root, 'run/events.jsonl'), '');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('readImportFolder', () => {
  it('sends no file from elsewhere that a run folder links to', () => {
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync('../secret', join(root, 'run/metrics.jsonl'));
    expect(() => readImportFolder(join(root, 'run'))).toThrow(
      /"metrics.jsonl": it contains a link that leads out/,
    );
  });
});
