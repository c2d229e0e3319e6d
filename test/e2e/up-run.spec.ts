import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';

let folder: string;
let words: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-up-run-'));
  const config = join(folder, 'quick.yaml');
  writeFileSync(config, JSON.stringify(sproutSpec(await makeSprout(folder), { name: 'quick' })));
  words = ['up', '--port', '0', '--data', join(folder, 'data'), '--run', config];
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Processes of this machine whose command line names the folder. */
function leftOver(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(folder) ? [line] : [];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

describe('espalier up --run', () => {
  it('shows a run live, ends with it, and leaves no process behind', async () => {
    const { code, stdout, stderr } = await runCli([...words, '--set', 'steps=3', '--set', 'name=short']);
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    expect(stdout).toMatch(/^espalier server {2}http:\/\/127\.0\.0\.1:\d+$/m);
    expect(stdout).toMatch(/^step 3 {2}success/m);
    expect(stdout).toMatch(/^run run-\S+ finished$/m);
    expect(leftOver()).toEqual([]);
  }, 120_000);

  it('saves when it is interrupted, and `up` goes on with the run the next time, on the same data', async () => {
    let stopped = false;
    const first = await runCli(words, {
      onOutput(stdout, kill) {
        if (stopped || !/^step 4 {2}success/m.test(stdout)) return;
        stopped = true;
        kill('SIGINT');
      },
    });
    expect([first.code, leftOver()]).toEqual([75, []]);
    const id = /^run quick {2}(run-[^:]+):/m.exec(first.stdout)?.[1] ?? '';
    let url = '';
    let watched: Promise<unknown> | undefined;
    const second = await runCli(['up', '--port', '0', '--data', join(folder, 'data'), '--json'], {
      onOutput(stdout, kill) {
        if (url !== '') return;
        url = (JSON.parse(stdout.split('\n')[0] ?? '') as { url: string }).url;
        const key = readFileSync(join(folder, 'data/admin.key'), 'utf8').trim();
        watched = (async () => {
          const at = ['--server', url, '--key', key];
          expect((await runCli(['run', 'watch', id, ...at])).stdout).toMatch(/run run-\S+ finished/);
        })().finally(() => kill('SIGTERM'));
      },
    });
    await watched;
    expect([second.code, leftOver()]).toEqual([0, []]);
  }, 180_000);

  it('refuses a configuration that cannot be run, and stops what it had started', async () => {
    const { code, stderr } = await runCli([...words, '--set', 'stepz=3']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('config.unknown_key')]);
    expect(leftOver()).toEqual([]);
  }, 60_000);
});
