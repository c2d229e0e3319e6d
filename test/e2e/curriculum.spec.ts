import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFile } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { callCli } from '../support/call-cli.js';
import { lastingRows } from '../support/lasting.js';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec, weightsOf } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

interface Change {
  readonly step: number;
  readonly from: number;
  readonly to: number;
}

const steps = 8;
let root: string;
let config: string;
let spec: Record<string, unknown>;
let changes: Change[];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-climb-'));
  config = join(root, 'climb.yaml');
  spec = sproutSpec(await makeSprout(root), {
    steps,
    checkpoint: { every: 1, keep: 20 },
    validation: { every: 4, episodes: 4, levels: 'all' },
    // the window takes two steps to fill, so some step ends in the middle of it
    curriculum: {
      levels: [{}, { environment: { reversed: true } }, { maxTurns: 2 }],
      window: 3,
      promoteAt: 0.01,
      demoteBelow: 0,
      replay: 0.5,
    },
  });
  writeFileSync(config, JSON.stringify(spec));
  const { code, stderr } = await callCli(['train', config, '--out', join(root, 'whole')]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  changes = changesIn('whole');
}, 240_000);
afterAll(() => removeFolder(root));

function changesIn(run: string): Change[] {
  const lines = readFileSync(join(root, run, 'events.jsonl'), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('"kind":"level"'))
    .map((line) => {
      const { step, from, to } = JSON.parse(
        line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1),
      ) as Change;
      return { step, from, to };
    });
}

const lasting = (run: string) => lastingRows(join(root, run));

describe('a run with levels on the command line', () => {
  it('is planned with its ladder', async () => {
    const { stdout, code } = await callCli(['plan', config]);
    expect(code).toBe(0);
    expect(stdout).toContain('levels and horizon\n  level 1 (start): 1 turn, 1 action\n');
    expect(stdout).toContain('  level 2: reversed true, 1 turn, 1 action\n');
    expect(stdout).toContain(
      '  up at success 1.0 % in 3 groups, never down; above level 1, 1 of 2 groups are played at earlier levels',
    );
  }, 60_000);

  it('climbs to the last level', () => {
    expect(changes.map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    const levels = lasting('whole').flatMap(({ values }) =>
      values.flatMap(([name, value]) => (name === 'curriculum/level' ? [value] : [])),
    );
    expect(levels).toHaveLength(steps);
    expect(levels.at(-1)).toBe(3);
  });

  if (isLong)
    it('goes on bit for bit after it was killed one step before a promotion', async () => {
      const [, second] = changes;
      const before = (second?.step ?? 0) - 1;
      let isKilled = false;
      const words = ['train', config, '--out', join(root, 'killed')];
      const first = await runCli([...words, '--json'], {
        onOutput: (stdout, kill) => {
          if (isKilled || !stdout.includes(`"kind":"checkpoint"`)) return;
          const saved = stdout.split('\n').filter((line) => line.includes('"kind":"checkpoint"'));
          if (!saved.some((line) => line.includes(`"step":${before}`))) return;
          isKilled = true;
          kill('SIGKILL');
        },
      });
      expect([first.code, isKilled]).toEqual([null, true]);
      const state = readFileSync(
        join(root, 'killed/checkpoints', `step-${String(before).padStart(6, '0')}`, 'state.json'),
        'utf8',
      );
      const { levels } = JSON.parse(state) as {
        levels: Record<string, { level: number; window: unknown[] }>;
      };
      expect(levels['']?.level).toBe(2);
      expect(levels['']?.window.length).toBeGreaterThan(0);
      const rest = await callCli([...words, '--resume']);
      expect([rest.code, rest.stderr]).toEqual([0, expect.not.stringContaining('error')]);
      expect(hashFile(join(root, 'killed', weightsOf(steps)))).toBe(
        hashFile(join(root, 'whole', weightsOf(steps))),
      );
      expect(lasting('killed')).toEqual(lasting('whole'));
      expect(changesIn('killed')).toEqual(changes);
      expect(rest.stdout).toContain('level 3 of 3, 2 promotions, 0 demotions');
      expect(rest.stdout).toMatch(/promoted from level 2 to 3 of 3: success \d+\.\d % in 3 groups/);
      expect(rest.stdout).toMatch(/ {2}level-1 {2}level 1 {6}\d/);
    }, 240_000);

  it('shows the level of a trajectory, and measures every level again', async () => {
    const shown = await callCli(['show', join(root, 'whole'), '--step', String(steps)]);
    expect(shown.stdout).toMatch(/bandit level [123] /);
    const { stdout } = await callCli(['eval', join(root, 'whole'), '--json']);
    const { tags } = JSON.parse(stdout) as { tags: { tag: string; level: number; episodes: number }[] };
    expect(tags.map(({ tag, level, episodes }) => [tag, level, episodes])).toEqual([
      ['level-1', 1, 4],
      ['level-2', 2, 4],
    ]);
  }, 60_000);
});

describe('the same run of a server', () => {
  let up: UpProcess;
  beforeAll(async () => void (up = await startUp()), 120_000);
  afterAll(() => up.close(), 120_000);

  it('shows its level and its promotions through the API, and ends with the same weights', async () => {
    const model = { path: await makeSprout(up.folder) };
    const rest = (path: string, body?: unknown) =>
      call(up.url, up.key, body === undefined ? 'GET' : 'POST', `/api/v1${path}`, body);
    const created = await rest('/runs', { source: JSON.stringify({ ...spec, model }) });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    const live: unknown[] = [];
    for await (const { records } of up.client.follow(id))
      live.push(...records.flatMap(({ kind, step, body }) => (kind === 'level' ? [{ step, ...body }] : [])));
    expect(live).toMatchObject(changes);
    const { body } = await rest(`/runs/${id}/metrics?name=curriculum/level&name=curriculum/promotions`);
    const [level, promotions] = (body as unknown as { items: { steps: number[]; values: number[] }[] }).items;
    expect([level?.steps, level?.values.at(0), level?.values.at(-1), promotions?.values.at(-1)]).toEqual([
      Array.from({ length: steps }, (_, index) => index + 1),
      1,
      3,
      2,
    ]);
    const files = await up.client.artifacts.list(id, weightsOf(steps));
    expect(files.map(({ sha256 }) => sha256)).toEqual([hashFile(join(root, 'whole', weightsOf(steps)))]);
  }, 240_000);

  it('refuses a ladder that contradicts itself', async () => {
    const model = { path: join(up.folder, 'sprout') };
    const bad = { ...spec, model, curriculum: { ...(spec['curriculum'] as object), demoteBelow: 0.5 } };
    const { status, body } = await call(up.url, up.key, 'POST', '/api/v1/runs', {
      source: JSON.stringify(bad),
    });
    expect(status).toBe(422);
    expect((body as { message: string }).message).toContain('the same success would promote and demote');
  });
});
