/** @file A sweep on a server: queued, left alone, taken up again, and reported from what was fetched. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

let up: UpProcess;
let words: string[];
beforeAll(async () => {
  up = await startUp();
  const spec = sproutSpec(await makeSprout(up.folder), { name: undefined, steps: 2 });
  writeFileSync(join(up.folder, 'run.yaml'), JSON.stringify(spec));
  writeFileSync(
    join(up.folder, 'small.yaml'),
    '{ title: Two, config: run.yaml, grid: { optimizer.learningRate: [1e-4, 1e-3] } }',
  );
  words = ['sweep', join(up.folder, 'small.yaml'), '--out', join(up.folder, 'out')];
  words.push('--server', up.url, '--key', up.key);
}, 120_000);
afterAll(() => up.close(), 120_000);

interface Listed {
  readonly runs: readonly { readonly state: string; readonly runId: string }[];
}

describe('a sweep on a server', () => {
  it(
    'queues its runs once, however often it is taken up, and fetches what they recorded',
    { timeout: 120_000 },
    async () => {
      let isDone = false;
      const left = await runCli(words, {
        onError: (stderr, kill) => {
          if (isDone || !stderr.includes('2 on the server')) return;
          isDone = true;
          kill('SIGINT');
        },
      });
      expect([left.code, left.stderr], left.stderr).toEqual([
        75,
        expect.stringContaining('the runs stay on the server'),
      ]);
      const ended = await runCli([...words, '--json']);
      const { runs } = JSON.parse(ended.stdout) as Listed;
      expect([ended.code, runs.map(({ state }) => state)], ended.stderr).toEqual([
        0,
        ['finished', 'finished'],
      ]);
      const listed = await up.cli('run', 'list', '--group', 'small', '--json');
      expect(listed.stdout.trimEnd().split('\n')).toHaveLength(2);
      for (const name of ['learning-rate-0p0001-seed-1', 'learning-rate-0p001-seed-1']) {
        const folder = join(up.folder, 'out', name);
        expect(existsSync(join(folder, 'validation'))).toBe(true);
        expect(readFileSync(join(folder, 'metrics.jsonl'), 'utf8')).toContain('validation/success_rate');
      }
      const again = await callCli([...words, '--json']);
      const known = (JSON.parse(again.stdout) as Listed).runs.map(({ runId }) => runId);
      expect([again.code, known]).toEqual([0, runs.map(({ runId }) => runId)]);
      expect(again.stderr).toContain('2 ended already, 0 on the server');
      const changed = await callCli([...words, '--set', 'optimizer.beta1=0.5']);
      expect([changed.code, changed.stderr]).toEqual([3, expect.stringContaining('cli.sweep_changed')]);
    },
  );

  it('has runs that are reported from the server, and checked against it', async () => {
    const written = join(up.folder, 'report.html');
    const names = ['learning-rate-0p0001-seed-1', 'learning-rate-0p001-seed-1'];
    const connection = ['--server', up.url, '--key', up.key];
    const made = await callCli(['report', ...names, '--out', written, ...connection]);
    expect([made.code, made.stdout], made.stderr).toEqual([
      0,
      expect.stringMatching(/wrote .* \(\d+ sources\)/),
    ]);
    const html = readFileSync(written, 'utf8');
    expect(html).toContain('learning-rate-0p001-seed-1:validation/success_rate@2');
    expect(html).toMatch(/<details class="transcript" id="t-learning-rate-0p001-seed-1-train-2-/);
    const printed = await callCli(['report', ...names, ...connection]);
    expect([printed.code, printed.stdout], printed.stderr).toEqual([
      0,
      expect.stringMatching(
        /^\[\^source-\d+\]: `learning-rate-0p001-seed-1:validation\/success_rate@2` is /m,
      ),
    ]);
    const checked = await callCli(['report', '--check', written, '--key', up.key]);
    expect([checked.code, checked.stdout], checked.stderr).toEqual([0, expect.stringContaining('of 2 runs')]);
  });

  it('says when no server answers', async () => {
    const { code, stderr } = await callCli([
      ...words.slice(0, 3),
      join(up.folder, 'other'),
      '--server',
      'http://127.0.0.1:9',
      '--key',
      'k',
    ]);
    expect([code, stderr]).toEqual([69, expect.stringContaining('client.unreachable')]);
  });
});
