/** @file `espalier view`: the page on run folders, read-only, and nothing that stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-viewed-'));
  const spec = sproutSpec(await makeSprout(folder), { steps: 2, validation: { every: 2, episodes: 4 } });
  writeFileSync(join(folder, 'run.yaml'), JSON.stringify(spec));
  const { code } = await callCli(['train', 'run.yaml', '--out', 'one'], { cwd: folder });
  expect(code).toBe(0);
}, 120_000);
afterAll(() => removeFolder(folder));

interface Shown {
  readonly url: string;
  readonly link: string;
  readonly key: string;
  readonly runs: readonly { readonly id: string; readonly folder: string }[];
}

describe('espalier view', () => {
  it('shows a run folder to a key that may only read, on the loopback address, and leaves nothing', async () => {
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const before = readFileSync(join(folder, 'one/metrics.jsonl'));
    // as `runs/*` names what holds no run, too
    mkdirSync(join(folder, 'sweeps'));
    const child = spawn(process.execPath, [main, 'view', 'one', 'sweeps', 'one', '--json'], {
      cwd: folder,
      // settings of a server on the machine change nothing
      env: { ...process.env, TMPDIR: temporary, ESPALIER__SERVER__HOST: '0.0.0.0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let notes = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (notes += text));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url, link, key, runs } = JSON.parse(line) as Shown;
    expect([runs.map((run) => run.folder), notes]).toEqual([
      ['one'],
      'sweeps: left out, as there is no spec.json\n',
    ]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(link).toBe(`${url}/runs/${runs[0]?.id}#key=${key}`);
    const client = createClient({ url, key });
    expect((await client.me()).role).toBe('viewer');
    await expect(client.runs.delete(runs[0]?.id ?? '')).rejects.toMatchObject({ code: 'client.refused' });
    await client.dispose();
    if (canBrowse) {
      const browser = await launchBrowser();
      const { page } = await openWatched(browser, url);
      await page.goto(link);
      await page.waitForSelector('[data-panel="success"] canvas');
      await page.click('nav >> text=Trajectories');
      await page.waitForSelector('.trajectories .line a');
      await browser.close();
    }
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readFileSync(join(folder, 'one/metrics.jsonl'))).toEqual(before);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  }, 120_000);

  it('refuses folders of which none holds a run', async () => {
    for (const [words, finding] of [
      [['none'], 'view none: there is no spec.json; name'],
      [['none', 'other'], 'view none and 1 more: there is no spec.json in any of them; name'],
    ] as const) {
      const { code, stderr } = await callCli(['view', ...words], { cwd: folder });
      expect([code, stderr]).toEqual([4, expect.stringContaining(finding)]);
    }
  });
});
