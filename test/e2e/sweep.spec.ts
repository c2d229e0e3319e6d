/** @file `espalier sweep` from the outside: planned, killed in the middle, taken up again, and nothing done twice. */
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readMetrics } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { callCli } from '../support/call-cli.js';
import { isLong } from '../support/long.js';
import { type CliOptions, type CliResult, runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';

const steps = 2;
let folder = '';
let file = '';
const out = (): string => join(folder, 'out');
const run = (name: string, path: string): string => join(out(), name, path);
const all = ['grpo-seed-1', 'grpo-seed-2', 'ppo-seed-1', 'ppo-seed-2'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-sweep-'));
  const spec = sproutSpec(await makeSprout(folder), { name: undefined, steps, algorithm: { use: 'grpo' } });
  writeFileSync(join(folder, 'run.yaml'), JSON.stringify(spec));
  file = join(folder, 'small.yaml');
  writeFileSync(
    file,
    [
      'title: Two algorithms',
      'config: run.yaml',
      'grid: { algorithm: { grpo: {}, ppo: { set: { algorithm: { use: ppo } } } } }',
      'seeds: [1, 2]',
      'claims:',
      '  - of: Figure 1',
      '    claim: GRPO ends better.',
      '    rules: [{ kind: difference, first: grpo, second: ppo, metric: validation/success_rate, expect: higher }]',
    ].join('\n'),
  );
}, 120_000);
afterAll(() => removeFolder(folder));

const sweep = (words: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  runCli(['sweep', file, '--out', out(), '--threads', '1', ...words], options);
const stepsOf = (name: string): number[] =>
  readMetrics(run(name, 'metrics.jsonl'))
    .filter(({ values }) => 'rollout/success_rate' in values)
    .map(({ step }) => step);
const states = (stdout: string): string[] =>
  (JSON.parse(stdout) as { runs: { name: string; state: string }[] }).runs.map(
    ({ name, state }) => `${name} ${state}`,
  );

/** Signals once, when a text is first seen. */
function at(text: RegExp, signal: NodeJS.Signals): NonNullable<CliOptions['onError']> {
  let isDone = false;
  return (stderr, kill) => {
    if (isDone || !text.test(stderr)) return;
    isDone = true;
    kill(signal);
  };
}

describe('espalier sweep', () => {
  it('shows what it would train, and makes nothing', async () => {
    const { code, stdout, stderr } = await callCli(['sweep', file, '--out', out(), '--plan']);
    expect([code, existsSync(out())], stderr).toEqual([0, false]);
    expect(stdout).toMatch(/^ {2}grpo {2}seeds 1, 2, 4 steps left, \d+ s$/m);
    expect(stdout).toMatch(/in all: 4 runs, 8 steps, about .* of processor time as predicted/);
    const { stdout: json } = await callCli([
      'sweep',
      file,
      '--out',
      out(),
      '--plan',
      '--json',
      '--only',
      'ppo',
    ]);
    expect(states(json)).toEqual(['ppo-seed-1 absent', 'ppo-seed-2 absent']);
  });

  it('refuses more than its budget, saying by how much and what to drop', async () => {
    const { code, stderr } = await callCli([
      'sweep',
      file,
      '--out',
      out(),
      '--set',
      'steps=9000000',
      '--budget',
      '1s',
    ]);
    expect([code, existsSync(out())]).toEqual([3, false]);
    expect(stderr).toContain('cli.over_budget');
    expect(stderr).toMatch(/4 runs would take about .*, .* more than the budget of 1 s; .*raise --budget/);
  });

  it('ended in the middle and taken up again, does no finished run twice', { timeout: 120_000 }, async () => {
    const stopped = await sweep([], { onError: at(/grpo-seed-2: begins/, 'SIGTERM') });
    expect([stopped.code, stopped.stdout], stopped.stderr).toEqual([
      75,
      expect.stringContaining('resume with: '),
    ]);
    // of the sweep, not of each run
    expect((stopped.stdout + stopped.stderr).match(/resume with: /g)).toHaveLength(1);
    const first = statSync(run('grpo-seed-1', 'metrics.jsonl')).mtimeMs;

    if (isLong) {
      // a process that is killed cannot stop its training; the next one waits for it
      const killed = await sweep([], { onError: at(/ppo-seed-1: begins/, 'SIGKILL') });
      expect(killed.code).toBe(null);
    }
    const whole = await sweep(['--json']);
    expect([whole.code, states(whole.stdout)], whole.stderr).toEqual([
      0,
      all.map((name) => `${name} finished`),
    ]);
    expect(whole.stderr).toMatch(
      /ppo-seed-2: success on fixed states: .* at step 0 → .* at step 2 \[\d+ s; /,
    );
    expect(all.map(stepsOf)).toEqual(all.map(() => [1, 2]));
    expect(statSync(run('grpo-seed-1', 'metrics.jsonl')).mtimeMs).toBe(first);
    const times = all.map((name) => statSync(run(name, 'metrics.jsonl')).mtimeMs);

    const again = await callCli(['sweep', file, '--out', out(), '--threads', '1']);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('4 runs, 4 finished already, 0 to go'),
    ]);
    expect(all.map((name) => statSync(run(name, 'metrics.jsonl')).mtimeMs)).toEqual(times);
  });

  it('asked for more steps and stopped, counts no shorter run as ended', { timeout: 120_000 }, async () => {
    const longer = join(folder, 'longer');
    const words = ['--seeds', '1', '--out', longer];
    const first = await sweep(words);
    expect([first.code, first.stdout], first.stderr).toEqual([
      0,
      expect.stringContaining('2 ended, 0 stopped'),
    ]);
    const onError = at(/grpo-seed-1: begins/, 'SIGTERM');
    const stopped = await sweep([...words, '--set', 'steps=900'], { onError });
    expect(stopped.stdout).toContain('0 ended, 1 stopped, 1 not begun, 0 failed');
    const { stdout } = await callCli(['report', longer, '--json']);
    const [subject] = (JSON.parse(stdout) as { subjects: { missing: { name: string; why: string }[] }[] })
      .subjects;
    expect(subject?.missing).toEqual(
      ['grpo-seed-1', 'ppo-seed-1'].map((name) => ({ name, why: 'unfinished' })),
    );
  });

  it('holds its folder, and refuses other options in it', async () => {
    const lock = join(out(), 'sweep.lock');
    writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere', started: null }));
    const held = await callCli(['sweep', file, '--out', out()]);
    expect([held.code, held.stderr]).toEqual([75, expect.stringContaining('cli.sweep_in_use')]);
    removeFolder(lock);
    const changed = await callCli(['sweep', file, '--out', out(), '--set', 'optimizer.learningRate=1']);
    expect([changed.code, changed.stderr]).toEqual([3, expect.stringContaining('cli.sweep_changed')]);
    expect(changed.stderr).toContain('optimizer.learningRate');
  });

  it('goes on after a run that fails, and says so', { timeout: 60_000 }, async () => {
    const broken = join(out(), 'ppo-seed-3');
    writeFileSync(broken, 'a file where the folder should be');
    const { code, stdout, stderr } = await sweep(['--seeds', '3', '--concurrency', '2', '--json']);
    expect([code, states(stdout)], stderr).toEqual([5, ['grpo-seed-3 finished', 'ppo-seed-3 failed']]);
    const state = JSON.parse(readFileSync(join(out(), 'sweep.json'), 'utf8')) as { runs: { name: string }[] };
    expect(state.runs.map(({ name }) => name)).toEqual([...all, 'grpo-seed-3', 'ppo-seed-3']);
    removeFolder(broken);
  });

  it('is reported with pictures, and with what is missing', async () => {
    const written = join(folder, 'report.md');
    const { code, stdout, stderr } = await callCli(['report', out(), '--out', written]);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^Figure 1: .*: GRPO ends better\.$/m)]);
    const text = readFileSync(written, 'utf8');
    expect(text).toMatch(/^### Figure 1: (?:holds|does not hold|not separable at this size)$/m);
    expect(text).toMatch(/^\| grpo \| 1, 2, 3 \| 2 \|/m);
    expect(text).toContain('failed: error cli.unusable_folder');
    expect(text).toContain(
      '![Two algorithms: validation/success_rate](report/small-validation-success-rate.svg)',
    );
    expect(readFileSync(join(folder, 'report/small-validation-success-rate.svg'), 'utf8')).toContain(
      'grpo (seeds 1, 2, 3)',
    );
    expect(text).toMatch(/^\*\*grpo-seed-1\*\* finished\[\^source-\d+\] after 2 of 2 steps/m);
    expect(text).toMatch(/^\[\^source-\d+\]: `grpo-seed-1:state` is finished/m);
    const brief = await callCli(['report', out(), '--brief']);
    expect(brief.stdout).toMatch(/^\| grpo \| 1, 2, 3 \| 2 \|/m);
    expect(brief.stdout).not.toContain('grpo-seed-1');
    const json = await callCli(['report', run('grpo-seed-1', ''), '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ subjects: [{ name: 'runs', missing: [], claims: [] }] });
  });

  it('is reported in one HTML file, which is checked against its runs', async () => {
    const written = join(folder, 'report.html');
    const { code, stdout, stderr } = await callCli(['report', out(), '--out', written]);
    expect([code, stdout], stderr).toEqual([
      0,
      expect.stringMatching(/wrote .*report\.html \(\d+ sources\)/),
    ]);
    const html = readFileSync(written, 'utf8');
    expect(html).toMatch(/<h3 id="small-claim-1">Figure 1: /);
    expect(html.match(/<section class="card/g)).toHaveLength(5);
    expect(html).toMatch(/<details class="transcript" id="t-grpo-seed-1-train-2-/);
    const checked = await callCli(['report', '--check', written]);
    expect([checked.code, checked.stdout], checked.stderr).toEqual([
      0,
      expect.stringMatching(/holds: \d+ values of 5 runs are what it says/),
    ]);
    writeFileSync(written, html.replace('Two algorithms', 'Three algorithms'));
    const refused = await callCli(['report', '--check', written]);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('report.outdated')]);
  });

  it('is not reported with notes that do not hold', async () => {
    const [notes, written] = [join(folder, 'notes.md'), join(folder, 'noted.html')];
    const words = ['report', run('grpo-seed-1', ''), '--out', written, '--notes', notes];
    writeFileSync(notes, 'It ended at step 2 with 7 [[validation/success_rate@2]].');
    const refused = await callCli(words);
    expect([refused.code, existsSync(written)]).toEqual([3, false]);
    expect(refused.stderr).toMatch(/report\.invalid_citation[^]*notes\.md:1: .*7 is written beside it/);
    writeFileSync(notes, 'It ended with [[validation/success_rate@2]].');
    expect(await callCli(words)).toMatchObject({ code: 0 });
    const unread = await callCli(['report', '--check', notes]);
    expect([unread.code, unread.stderr]).toEqual([3, expect.stringContaining('report.unreadable')]);
  });

  it.skipIf(!canBrowse)('has a report that works from disk', async () => {
    const browser = await launchBrowser();
    try {
      const { page, strayed, complaints } = await openWatched(browser, 'file://');
      await page.goto(pathToFileURL(join(folder, 'noted.html')).href);
      await page.locator('a.cite').first().hover();
      expect(await page.locator('#tip').innerText()).toMatch(/grpo-seed-1:state\nstored: finished/);
      await page.locator('.notes a.cite').click();
      expect(await page.locator('tr:target').innerText()).toContain('validation/success_rate@2');
      await page.locator('summary').first().click();
      expect(await page.locator('.reply').first().isVisible()).toBe(true);
      await page.evaluate(
        readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
      );
      const findings = await page.evaluate(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      );
      expect([findings, strayed, complaints]).toEqual([[], [], []]);
    } finally {
      await browser.close();
    }
  });

  it.each([
    ['nothing', [], 4, 'cli.run_not_found'],
    ['none.yaml', [], 4, 'no such file'],
    ['run.yaml', [], 3, 'unknown key'],
    ['out', ['--out', 'run.yaml/report.md'], 3, 'cli.unusable_folder'],
    ['out/grpo-seed-1', ['--brief'], 2, 'leaves single runs out, and none of these is a sweep'],
    ['out', ['--brief', '--server', 'http://x'], 2, 'a server has no sweeps; leave one of the two out'],
    ['out', ['--notes', 'none.md'], 2, 'report --notes none.md: no such file; name a file of Markdown'],
  ])('report refuses %s %j', async (name, words, code, message) => {
    const refused = await callCli(['report', join(folder, name), ...words], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it.each([
    ['none.yaml', [], 4, 'no such file'],
    ['small.yaml', ['--only', 'pppo'], 2, 'no variant has that name; did you mean ppo?'],
    ['small.yaml', ['--set', 'seed=4'], 2, 'use --seeds'],
    ['small.yaml', ['--seeds', '1,2,1'], 2, 'sweep --seeds 1,2,1: expected each seed once'],
    ['small.yaml', ['--set', 'stepz=4'], 3, 'variant "grpo": --set: unknown key stepz; did you mean steps?'],
    ['small.yaml', ['--concurrency', '0'], 2, 'expected a whole number of at least 1'],
    ['small.yaml', ['--budget', 'much'], 2, 'expected a duration'],
  ])('refuses %s %j', async (name, words, code, message) => {
    const refused = await callCli(['sweep', join(folder, name), '--out', join(folder, 'none'), ...words]);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
