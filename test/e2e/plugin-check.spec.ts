/** @file `espalier plugin check` on packages that are good, wrong, and never return. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-plugin-check-')));
afterAll(() => removeFolder(home));

/** Writes a package of one file. */
function write(name: string, source: string, manifest: object = {}): string {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.js'), source);
  const base = { name: `espalier-${name}`, version: '0.1.0', type: 'module', exports: './index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...base, ...manifest }));
  return folder;
}

/** Never returns, as a loop without end, and takes no processor time. */
const block = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const environment = (step: string, reset = "() => 'begin'"): string => `
import { defineEnvironment } from '@espalier/plugin-kit';
export default defineEnvironment({
  id: 'stuck', summary: 'Never ends.', actions: ['Go'],
  create: () => ({ reset: ${reset}, step: ${step} }),
});
`;

describe('espalier plugin check', () => {
  it('is content with the smallest environment, and says so as JSON', async () => {
    const coin = join(home, 'coin');
    cpSync(join(root, 'test/fixtures/smallest-plugin/plugins/environments/coin'), coin, { recursive: true });
    const { code, stdout } = await callCli(['plugin', 'check', coin, '--json']);
    const report = JSON.parse(stdout) as { ok: boolean; passed: number; findings: { level: string }[] };
    expect([code, report.ok, report.findings.map(({ level }) => level)]).toEqual([0, true, ['note']]);
    expect(report.passed).toBeGreaterThan(10);
  });

  it('reports failed tests of the suite with what to do', async () => {
    const source = environment(
      '(action) => ({ observation: { text: action, stateKey: "same" }, reward: Math.random(), done: true })',
    );
    const { code, stdout } = await runCli(['plugin', 'check', write('chance', source)]);
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /problem conformance: fails "is determined by its seeds": state seed 0[^]*createStream/,
    );
    expect(stdout).toMatch(/\d+ problems\n$/);
  });

  it.each([
    ['blocks', environment(`() => { ${block} }`), 'hook "step"'],
    ['waits', environment("() => 'x'", '() => new Promise(() => {})'), 'hook "reset"'],
  ])('ends and names a hook that %s for ever', async (name, source, hook) => {
    const { code, stdout } = await runCli(['plugin', 'check', write(name, source), '--limit', '1s']);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^problem hook: environment "stuck", /);
    expect(stdout).toContain(hook);
  });

  it('ends and names a hook of an algorithm that never returns', async () => {
    const source = `
import { defineAlgorithm } from '@espalier/plugin-kit';
import { z } from 'zod';
export default defineAlgorithm({
  id: 'endless', summary: 'Never ends.', source: 'none', params: z.strictObject({}),
  needs: () => ({ critic: false, reference: false }), keptShare: () => 1,
  select: () => { ${block} }, advantages: () => ({ advantages: [] }), policyLoss: () => ({ columns: [] }),
});
`;
    const { code, stdout } = await runCli(['plugin', 'check', write('endless', source), '--limit', '2s']);
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /problem conformance: algorithm "endless", hook "select" did not return within 24 s, and was ended/,
    );
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('espalier-suite-'))).toEqual([]);
  });

  it.each<[string, () => readonly string[], number, RegExp]>([
    [
      'a wrong option',
      () => [write('a', environment('() => 1')), '--params', '{"size": 3}'],
      2,
      /error cli\.usage: .*size/,
    ],
    ['a folder without package', () => [home], 2, /there is no package\.json/],
    [
      'another definition',
      () => [write('b', environment('() => 1')), '--only', 'maze'],
      2,
      /no plugin "maze"; it defines stuck/,
    ],
    ['no definition', () => [write('c', 'export default 3;')], 3, /default export is a number/],
  ])('answers %s with one plain error', async (_what, words, expected, message) => {
    const { code, stdout, stderr } = await callCli(['plugin', 'check', ...words()]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });

  it('reports a build that fails, with what it printed', async () => {
    const scripts = { build: 'node -e "console.error(\'no such type\'); process.exit(1)"' };
    const { code, stdout } = await callCli([
      'plugin',
      'check',
      write('unbuilt', environment('() => 1'), { scripts }),
    ]);
    expect(code).toBe(5);
    expect(stdout).toContain('problem build: npm run build fails: no such type');
  });
});
