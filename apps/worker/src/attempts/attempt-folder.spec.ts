import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptFolder, loadAttemptFolders } from './attempt-folder.js';

let root = '';
let told: object[] = [];
const log = { error: (facts: object) => void told.push(facts) };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-folders-'));
  told = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const given = (attemptId: string): Assignment => ({
  ...{ attemptId, jobId: 'job', runId: 'run', runName: 'r', number: 1, token: 1, kind: 'train' },
  ...{ devices: [], threads: 1, spec: {}, resume: null, fork: null, evaluate: null },
});

describe('loadAttemptFolders', () => {
  it('takes up what can be read, and removes what was never accepted', () => {
    createAttemptFolder(root, given('a'));
    mkdirSync(join(root, 'begun'));
    writeFileSync(join(root, 'begun', 'state.json'), '{}');
    expect(loadAttemptFolders(root, log).map((folder) => folder.assignment.attemptId)).toEqual(['a']);
    expect([readdirSync(root), told]).toEqual([['a'], []]);
  });

  it.each([
    ['assignment.json', 'is of another version', (file: string) => writeFileSync(file, '{"version":9}')],
    ['assignment.json', 'cannot be read', (file: string) => (rmSync(file), mkdirSync(file))],
    ['state.json', 'is empty', (file: string) => writeFileSync(file, '')],
  ])('sets a folder aside whose %s %s, with its events, once', (name, _how, damage) => {
    const folder = createAttemptFolder(root, given('a'));
    writeFileSync(folder.streamFile('trainer'), 'unsent\n');
    damage(join(folder.path, name));
    expect(loadAttemptFolders(root, log)).toEqual([]);
    expect(loadAttemptFolders(root, log)).toEqual([]);
    const [aside = ''] = readdirSync(root);
    expect(aside).toMatch(/^broken-a-\d+$/);
    expect(readFileSync(join(root, aside, 'trainer.jsonl'), 'utf8')).toBe('unsent\n');
    expect(told).toMatchObject([{ attemptId: 'a', aside: join(root, aside) }]);
    expect(existsSync(folder.path)).toBe(false);
  });
});
