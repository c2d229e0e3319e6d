import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { dropUnfinished, saveCheckpoint } from './checkpoint.js';
import { listCheckpoints } from './run-folder.js';
import { loadNewestCheckpoint, setAsideCorrupt, resolveModelFolder } from './find-checkpoint.js';
import { tinyEngine, tinySpec } from './testing/tiny-run.js';
import { startState } from './trainer-state.js';

let run: string;
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'espalier-find-'));
});

const save = (step: number) =>
  saveCheckpoint(
    run,
    {
      state: { ...startState, step },
      spec: tinySpec(),
      start: { folder: run, files: {} },
      policy: tinyEngine().policy,
    },
    3,
  );
const names = () => readdirSync(join(run, 'checkpoints')).sort();
const spoil = (step: number) => rmSync(join(run, 'checkpoints', `step-00000${step}`, 'state.json'));

describe('loadNewestCheckpoint', () => {
  it('passes over corrupt ones and leaves them where they are', async () => {
    for (const step of [1, 2, 3]) await save(step);
    [2, 3].forEach(spoil);
    const { checkpoint, corrupt } = loadNewestCheckpoint(run);
    expect(checkpoint?.state.step).toBe(1);
    expect(corrupt.map(({ message }) => /"state.json" is missing/.test(message))).toEqual([true, true]);
    expect(names()).toEqual(['step-000001', 'step-000002', 'step-000003']);
  });

  it('sets corrupt ones aside for a run that goes on', async () => {
    for (const step of [1, 2, 3]) await save(step);
    [2, 3].forEach(spoil);
    const corrupt = setAsideCorrupt(loadNewestCheckpoint(run));
    expect(names()).toEqual(['corrupt-step-000002-1', 'corrupt-step-000003-1', 'step-000001']);
    expect(corrupt.map(({ folder }) => folder)).toEqual(
      ['corrupt-step-000003-1', 'corrupt-step-000002-1'].map((name) => join(run, 'checkpoints', name)),
    );
  });

  it('moves nothing where none can be used, so that a second try does not begin anew', async () => {
    await save(1);
    spoil(1);
    const found = loadNewestCheckpoint(run);
    expect(found.checkpoint).toBeUndefined();
    setAsideCorrupt(found);
    expect(names()).toEqual(['step-000001']);
  });

  it('finds a replaced checkpoint whose successor never arrived', async () => {
    const folder = await save(4);
    renameSync(folder, `${folder}.old`);
    dropUnfinished(run);
    expect(loadNewestCheckpoint(run).checkpoint?.state.step).toBe(4);
    expect(listCheckpoints(run)).toHaveLength(1);
  });
});

describe('resolveModelFolder', () => {
  it('accepts a run, a checkpoint or a model', async () => {
    const checkpoint = await save(6);
    const policy = join(checkpoint, 'policy');
    for (const path of [run, checkpoint, policy])
      expect(resolveModelFolder(path)).toEqual({ folder: policy, corrupt: [] });
  });

  it('tells which checkpoints of a run it passed over, and moves nothing', async () => {
    for (const step of [1, 2]) await save(step);
    spoil(2);
    const { folder, corrupt } = resolveModelFolder(run);
    expect(folder).toBe(join(run, 'checkpoints', 'step-000001', 'policy'));
    expect(corrupt).toEqual([
      { folder: join(run, 'checkpoints', 'step-000002'), message: expect.any(String) as unknown },
    ]);
    expect(names()).toEqual(['step-000001', 'step-000002']);
  });

  it('refuses a folder that is no model, and says of an adapter what is missing', () => {
    expect(() => resolveModelFolder(run)).toThrow(/it has no config\.json, .* expected a model folder/);
    writeFileSync(join(run, 'adapter_config.json'), '{}');
    expect(() => resolveModelFolder(run)).toThrow(
      /it is an adapter without its base; .*model: \{ path, base \}/,
    );
  });

  it('refuses a run that has only corrupt ones, and names what is wrong', async () => {
    await save(1);
    spoil(1);
    expect(() => resolveModelFolder(run)).toThrow(
      /all 1 checkpoint\(s\) are corrupt, .*"state.json" is missing/,
    );
  });

  it('refuses a folder that is none of them', () => {
    mkdirSync(join(run, 'empty'));
    expect(() => resolveModelFolder(join(run, 'empty'))).toThrow(
      /expected a model folder, a checkpoint or a run/,
    );
  });
});
