import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { dropUnfinished, loadCheckpoint, saveCheckpoint } from './checkpoint.js';
import { listCheckpoints } from './run-folder.js';
import { listFiles } from '@espalier/files';
import { loadNewestCheckpoint } from './find-checkpoint.js';
import { tinyEngine, tinySpec } from './testing/tiny-run.js';
import { startState } from './trainer-state.js';

let run: string;
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'espalier-checkpoint-'));
});

async function save(step: number, keep = 2): Promise<string> {
  const { policy } = tinyEngine();
  const contents = {
    state: { ...startState, step },
    spec: tinySpec(),
    start: { folder: run, files: {} },
    policy,
  };
  return saveCheckpoint(run, contents, keep);
}

const names = () => readdirSync(join(run, 'checkpoints')).sort();

describe('saveCheckpoint', () => {
  it('keeps the newest and leaves nothing else behind', async () => {
    for (const step of [1, 2, 9, 10]) await save(step);
    expect(names()).toEqual(['step-000009', 'step-000010']);
  });

  it('replaces a checkpoint of the same step', async () => {
    await save(3);
    writeFileSync(join(run, 'checkpoints', 'step-000003', 'state.json'), 'x');
    expect(loadCheckpoint(await save(3)).state.step).toBe(3);
    expect(names()).toEqual(['step-000003']);
  });

  it('leaves the old one in place when the engine fails to write', async () => {
    await save(3);
    const policy = { ...tinyEngine().policy, save: () => Promise.reject(new Error('disk full')) };
    const contents = {
      state: { ...startState, step: 4 },
      spec: tinySpec(),
      start: { folder: run, files: {} },
      policy,
    };
    await expect(saveCheckpoint(run, contents, 1)).rejects.toThrow('disk full');
    expect(loadNewestCheckpoint(run).checkpoint?.state.step).toBe(3);
    dropUnfinished(run);
    expect(names()).toEqual(['step-000003']);
  });

  it('carries the tokenizer of the starting model', async () => {
    writeFileSync(join(run, 'tokenizer.json'), '{"a":1}');
    expect(readFileSync(join(await save(1), 'policy', 'tokenizer.json'), 'utf8')).toBe('{"a":1}');
  });
});

describe('listCheckpoints', () => {
  it('goes by number where names grow longer', async () => {
    for (const step of [999_999, 1_000_000, 20]) await save(step, 3);
    expect(listCheckpoints(run).map((folder) => folder.slice(folder.lastIndexOf('-') + 1))).toEqual([
      '1000000',
      '999999',
      '000020',
    ]);
  });
});

describe('loadCheckpoint', () => {
  it('notices every single damaged, missing or foreign file', async () => {
    const whole = await save(5);
    const files = listFiles(whole);
    expect(files).toContain('state.json');
    for (const name of files) {
      for (const damage of ['flip', 'cut', 'remove'] as const) {
        const copy = join(run, 'copy');
        rmSync(copy, { recursive: true, force: true });
        cpSync(whole, copy, { recursive: true });
        const path = join(copy, name);
        const bytes = readFileSync(path);
        bytes[bytes.length >> 1]! ^= 1;
        if (damage === 'flip') writeFileSync(path, bytes);
        if (damage === 'cut') truncateSync(path, bytes.length - 1);
        if (damage === 'remove') rmSync(path);
        expect(() => loadCheckpoint(copy), `${name} ${damage}`).toThrow(
          /a checkpoint must match its manifest/,
        );
      }
    }
    writeFileSync(join(whole, 'extra'), '');
    expect(() => loadCheckpoint(whole)).toThrow(/"extra" is not in the manifest/);
  });

  it.each(['null', '{"format":1,"files":null}', '{"format":1,"files":{"state.json":null}}'])(
    'refuses the manifest %s',
    async (text) => {
      const folder = await save(5);
      writeFileSync(join(folder, 'manifest.json'), text);
      expect(() => loadCheckpoint(folder)).toThrow(/"manifest.json" is not a complete manifest of format 1/);
    },
  );
});
