/** @file The metrics page documents every metric of a run, by name or by pattern. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { saveTinyModel, tinyTrainingSpec, trainTiny } from '../support/tiny-training.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-metrics-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
const listed = [...page.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');
const patterns = listed.map((name) => new RegExp(`^${name.replace(/<[a-z]+>/g, '[a-z0-9_-]+')}$`));

it('lists the metrics of a run with a critic, a reference policy and validation', async () => {
  const spec = tinyTrainingSpec(saveTinyModel(join(folder, 'model')), { steps: 2 });
  const { events } = await trainTiny(spec, join(folder, 'run'));
  const names = new Set(
    events.flatMap((event) => (event.kind === 'metrics' ? Object.keys(event.values) : [])),
  );
  expect(names).toContain('reward/even-tokens');
  expect(names).toContain('validation/reward/even-tokens');
  expect([...names].filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
}, 60_000);

it('lists the metrics of built-in plugins, in training and validation', () => {
  expect(listed).toContain('reward/format/invalid_turns');
  expect(listed).toContain('validation/reward/format/invalid_turns');
});
