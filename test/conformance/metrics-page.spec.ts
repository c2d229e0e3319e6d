/** @file Every number of a run stands on the page of metrics, by its name or by a pattern. */
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

it('lists what a run with a critic, a reference and a validation reports', async () => {
  const spec = tinyTrainingSpec(saveTinyModel(join(folder, 'model')), { steps: 2 });
  const { events } = await trainTiny(spec, join(folder, 'run'));
  const names = new Set(
    events.flatMap((event) => (event.kind === 'metrics' ? Object.keys(event.values) : [])),
  );
  expect(names).toContain('reward/even-tokens');
  expect(names).toContain('validation/reward/even-tokens');
  expect([...names].filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
}, 60_000);

it('lists the numbers of the plugins that ship, in training and in validation', () => {
  expect(listed).toContain('reward/format/invalid_turns');
  expect(listed).toContain('validation/reward/format/invalid_turns');
});
