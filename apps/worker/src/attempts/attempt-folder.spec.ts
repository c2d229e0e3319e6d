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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import { createAttemptFolder, loadAttemptFolders } from './attempt-folder.js';

let root = '';
let errors: object[] = [];
const log = { error: (facts: object) => void errors.push(facts) };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-folders-'));
  errors = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('createAttemptFolder', () => {
  it('saves no state after the folder was removed', () => {
    const folder = createAttemptFolder(root, makeAssignment());
    folder.update({ phase: 'running' });
    expect(JSON.parse(readFileSync(join(folder.path, 'state.json'), 'utf8'))).toEqual({ phase: 'running' });
    folder.remove();
    folder.update({ phase: 'ended' });
    expect([existsSync(folder.path), folder.state().phase]).toEqual([false, 'running']);
  });
});

describe('loadAttemptFolders', () => {
  it('loads readable attempts and deletes those that were never accepted', () => {
    createAttemptFolder(root, makeAssignment());
    mkdirSync(join(root, 'begun'));
    writeFileSync(join(root, 'begun', 'state.json'), '{}');
    expect(loadAttemptFolders(root, log).map((folder) => folder.assignment.attemptId)).toEqual(['a']);
    expect([readdirSync(root), errors]).toEqual([['a'], []]);
  });

  it.each([
    ['assignment.json', 'is of another version', (file: string) => writeFileSync(file, '{"version":9}')],
    ['assignment.json', 'cannot be read', (file: string) => (rmSync(file), mkdirSync(file))],
    ['state.json', 'is empty', (file: string) => writeFileSync(file, '')],
  ])('renames a folder whose %s %s, once, and keeps its events', (name, _how, damage) => {
    const folder = createAttemptFolder(root, makeAssignment());
    writeFileSync(folder.streamFile('trainer'), 'unsent\n');
    damage(join(folder.path, name));
    expect(loadAttemptFolders(root, log)).toEqual([]);
    expect(loadAttemptFolders(root, log)).toEqual([]);
    const [aside = ''] = readdirSync(root);
    expect(aside).toMatch(/^corrupt-a-\d+$/);
    expect(readFileSync(join(root, aside, 'trainer.jsonl'), 'utf8')).toBe('unsent\n');
    expect(errors).toMatchObject([{ attemptId: 'a', aside: join(root, aside) }]);
    expect(existsSync(folder.path)).toBe(false);
  });
});
