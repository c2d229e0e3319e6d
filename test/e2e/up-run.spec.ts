import { spawn } from 'node:child_process';
import { once as eventOf } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type RunDetails } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { isLong } from '../support/long.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';

/** Enough that it is interrupted before it ends, twice in the long form. */
const steps = isLong ? 24 : 12;
let folder: string;
let words: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-up-run-'));
  const config = join(folder, 'quick.yaml');
  writeFileSync(config, JSON.stringify(sproutSpec(await makeSprout(folder), { name: 'quick' })));
  words = ['up', '--port', '0', '--data', join(folder, 'data'), '--run', config];
}, 120_000);
afterAll(() => removeFolder(folder));

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

type Kill = (signal: NodeJS.Signals) => void;

/** A terminal interrupts npm and what npm started; npm passes it on. */
function interruptAsNpmDoes(kill: Kill): void {
  kill('SIGINT');
  setTimeout(() => kill('SIGINT'), 20);
}

/** Acts when a text is first seen. */
function once(text: RegExp, act: (stdout: string, kill: Kill) => void): (stdout: string, kill: Kill) => void {
  let isDone = false;
  return (stdout, kill) => {
    if (isDone || !text.test(stdout)) return;
    isDone = true;
    act(stdout, kill);
  };
}

/** Starts `up` on the same data, does something with its server, and ends it. */
async function runUp(act: (client: Client) => Promise<void>, end: (kill: Kill) => void): Promise<CliResult> {
  let acting: Promise<void> | undefined;
  const result = await runCli(['up', '--port', '0', '--data', join(folder, 'data'), '--json'], {
    onOutput: once(/\n/, (stdout, kill) => {
      const { url } = JSON.parse(stdout.split('\n')[0] ?? '') as { url: string };
      const key = readFileSync(join(folder, 'data/admin.key'), 'utf8').trim();
      acting = act(createClient({ url, key })).finally(() => end(kill));
    }),
  });
  await acting;
  return result;
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

  it.skipIf(!canBrowse)(
    'prints a link on a terminal that opens the run signed in, as the quickstart does',
    async () => {
      const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
      const own = words.map((word) => (word === join(folder, 'data') ? join(folder, 'linked') : word));
      const line = [process.execPath, main, ...own, '--set', 'steps=2'].map((word) => `'${word}'`).join(' ');
      // on a terminal it stays up after the run; elsewhere a log that others read gets no key
      const child = spawn('script', ['-qfec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
      const browser = await launchBrowser();
      try {
        let printed = '';
        const link = await new Promise<string>((done) => {
          child.stdout.on('data', (part: Buffer) => {
            printed += part.toString();
            const [url] = /http:\/\/[^\s#]+\/runs\/[\w-]+#key=[\w%.-]+(?=\s|\u001b)/.exec(printed) ?? [];
            if (url !== undefined) done(url);
          });
        });
        const { page, strayed, complaints } = await openWatched(browser, new URL(link).origin);
        await page.goto(link);
        await page.waitForSelector('[data-panel="success"] canvas');
        expect([new URL(page.url()).hash, await page.locator('#key').count()]).toEqual(['', 0]);
        expect(new URL(page.url()).pathname).toMatch(/^\/runs\/run-/);
        expect([strayed, complaints]).toEqual([[], []]);
      } finally {
        await browser.close();
        const ended = eventOf(child, 'exit');
        child.stdin.write('\u0003');
        await ended;
      }
      expect(leftOver()).toEqual([]);
    },
    120_000,
  );

  it('lets what trains save when it is interrupted, and goes on with it the next time, on the same data', async () => {
    const first = await runCli([...words, '--set', `steps=${steps}`], {
      onOutput: once(/^step 4 {2}success/m, (_, kill) => interruptAsNpmDoes(kill)),
    });
    expect([first.code, leftOver()]).toEqual([75, []]);
    const id = /^run quick {2}(run-[^:]+):/m.exec(first.stdout)?.[1] ?? '';
    if (isLong) {
      const second = await runUp(async (client) => {
        for await (const { metrics } of client.follow(id))
          if (metrics.steps.some((step) => step >= 9)) return;
      }, interruptAsNpmDoes);
      expect([second.code, leftOver()]).toEqual([0, []]);
    }
    let run: RunDetails | undefined;
    const last = await runUp(
      async (client) => {
        for await (const _ of client.follow(id));
        run = await client.runs.get(id);
      },
      (kill) => kill('SIGTERM'),
    );
    expect([last.code, leftOver()]).toEqual([0, []]);
    expect(run).toMatchObject({ state: 'finished', step: steps });
    expect(run?.attempts.map(({ state, exitCode }) => [state, exitCode])).toEqual([
      ['ended', 75],
      ...(isLong ? [['ended', 75]] : []),
      ['ended', 0],
    ]);
  }, 180_000);

  it('refuses a configuration that cannot be run, and stops what it had started', async () => {
    const { code, stderr } = await runCli([...words, '--set', 'stepz=3']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('config.unknown_key')]);
    expect(leftOver()).toEqual([]);
  }, 60_000);
});
