import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { writeTask } from './testing/write-task.js';

/** A tool of Linux that a machine may lack. */
const hasBubblewrap = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;
const program = fileURLToPath(new URL('testing/locked-episode.mjs', import.meta.url));
const isRoot = process.getuid?.() === 0;
const powers = '-dac_override,-dac_read_search,-fowner';
/** Permissions do not bind root; without these powers they do, and it still reads a clone that others cannot. */
const powerless = isRoot ? ['setpriv', `--bounding-set=${powers}`, `--inh-caps=${powers}`] : [];

describe.skipIf(!hasBubblewrap)('folders whose permissions commands took away (needs bubblewrap)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harbor-locked-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('break no episode, and go with it or with the next process', () => {
    const temporary = join(folder, 'tmp');
    const gone = spawnSync('true').pid;
    const leave = (name: string): string => {
      const path = join(temporary, `espalier-harbor-${gone}-${name}`, 'files');
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'x'), '');
      chmodSync(path, 0o000);
      return path;
    };
    leave('ours');
    if (isRoot) chownSync(leave('anothers'), 65_534, 65_534);
    const [command = '', ...rest] = [...powerless, process.execPath, program, writeTask(folder, 'task')];
    const { status, stdout, stderr } = spawnSync(command, rest, {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary },
    });
    expect([status, stderr]).toEqual([0, '']);
    const came = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(came).toEqual([
      expect.objectContaining({ hook: 'reset', text: expect.any(String) }),
      locked,
      expect.objectContaining({ hook: 'step', effective: true, metrics: { command_failed: 0 } }),
      expect.objectContaining({ hook: 'reset', text: expect.any(String) }),
      locked,
      { hook: 'close' },
      expect.objectContaining({ hook: 'reset', text: expect.any(String) }),
      locked,
    ]);
    // what is another user's stays
    expect(readdirSync(temporary).map((name) => name.split('-').at(-1))).toEqual(isRoot ? ['anothers'] : []);
  });
});

const locked: unknown = expect.objectContaining({
  hook: 'step',
  observation: expect.objectContaining({ text: '(no output)' }),
  effective: true,
  metrics: { command_failed: 0 },
});
