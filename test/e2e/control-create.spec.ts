import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '@espalier/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

let up: UpProcess;
let config: string;
beforeAll(async () => {
  up = await startUp();
  const spec = sproutSpec(await makeSprout(up.folder), { name: undefined, steps: 6 });
  config = join(up.folder, 'small.yaml');
  writeFileSync(config, JSON.stringify(spec));
}, 120_000);
afterAll(() => up.close(), 120_000);

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a run made from the command line', () => {
  it('is asked for where there is none yet', async () => {
    const { code, stdout, stderr } = await up.cli('run', 'list');
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^no runs; `.+ run create <config>` makes one\n$/),
    ]);
    expect(await up.cli('run', 'list', '--json')).toMatchObject({ code: 0, stdout: '' });
  });

  it('is trained, watched to its end, listed and shown', async () => {
    const made = await up.cli('run', 'create', config, '--tag', 'story', '--note', 'first', '--watch');
    expect([made.code, made.stderr.includes('queued')]).toEqual([0, true]);
    expect(made.stdout).toMatch(/^run run-\S+ {2}small {2}(queued|assigned|running)$/m);
    for (const step of [1, 2, 3, 4, 5, 6])
      expect(made.stdout).toMatch(new RegExp(`^step ${step} {2}success`, 'm'));
    expect(made.stdout).toMatch(/^success on fixed states: .* at step 0 → .* at step 6$/m);
    expect(made.stdout.trimEnd()).toMatch(/run run-\S+ finished$/);
    const listed = await up.cli('run', 'list', '--tag', 'story');
    expect(listed.stdout).toMatch(/small +finished +6\/6 +\d+\.\d %/);
    const shown = await up.json('run', 'show', 'small');
    expect(shown).toMatchObject({ state: 'finished', step: 6, note: 'first', attempts: [{ exitCode: 0 }] });
    expect((await up.cli('run', 'show', 'small')).stdout).toContain('bandit with ppo');
  }, 120_000);

  it('belongs to a group', async () => {
    const made = await up.json('run', 'create', config, '--group', 'sweep', '--name', 'grouped');
    expect(made).toMatchObject({ group: 'sweep' });
    const listed = await up.cli('run', 'list', '--group', 'sweep', '--json');
    expect(lines(listed.stdout)).toMatchObject([{ id: made['id'], group: 'sweep' }]);
    const none = await up.cli('run', 'list', '--group', 'other');
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^no such runs; `.+ run list` shows all\n$/),
    ]);
    await up.cli('run', 'cancel', 'grouped', '--now', '--wait');
  }, 60_000);

  it('takes comments', async () => {
    expect((await up.cli('run', 'comment', 'small')).stderr).toBe('no comments\n');
    const made = await up.json('run', 'comment', 'small', 'loops\nfrom here', '--step', '2');
    expect(made).toMatchObject({ text: 'loops\nfrom here', step: 2 });
    await up.json('run', 'comment', 'small', 'better');
    const all = await up.cli('run', 'comment', 'small');
    expect(all.stdout.split('\n')).toEqual([
      expect.stringMatching(/ step 2 {2}loops from here$/),
      expect.stringMatching(/ better$/),
      '',
    ]);
    expect((await up.cli('run', 'comment', 'small', '--step', '2')).stdout).not.toContain('better');
    const id = String(made['id']);
    expect((await up.cli('run', 'comment', 'small', 'text', '--delete', id)).code).toBe(2);
    expect((await up.cli('run', 'comment', 'small', '--delete', id)).stdout).toMatch(/ {2}deleted\n$/);
    expect((await up.cli('run', 'comment', 'small', '--delete', id)).code).toBe(4);
    expect((await up.cli('run', 'comment', 'small', '--step', '2')).stdout).toBe('');
  }, 60_000);

  it('tells programs every record once, in order', async () => {
    const { code, stdout } = await up.cli('run', 'watch', 'small', '--json');
    expect(code).toBe(0);
    const records = lines(stdout);
    expect(records.at(-1)).toMatchObject({ kind: 'ended', state: 'finished' });
    const cursors = records.slice(0, -1).map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.map((_, index) => index + 1));
    const logged = await up.cli('run', 'logs', 'small');
    expect(logged.stdout).toContain('step 6');
    const found = lines((await up.cli('run', 'logs', 'small', '--grep', 'step', '-n', '2', '--json')).stdout);
    expect(found).toHaveLength(2);
    for (const { text, time } of found) {
      expect(text).toContain('step');
      expect(Date.parse(String(time))).toBeGreaterThan(0);
    }
    expect((await up.cli('run', 'logs', 'small', '--grep', 'no such text')).stdout).toBe('');
    expect((await up.cli('run', 'logs', 'small', '-f', '--grep', 'step 6')).stdout).toContain('step 6');
  });

  it('is evaluated at a checkpoint', async () => {
    const job = await up.json('run', 'evaluate', 'small@6', '--episodes', '8', '--wait');
    expect(job).toMatchObject({ kind: 'evaluate', state: 'finished', result: expect.anything() as unknown });
    const missing = await up.cli('run', 'evaluate', 'small@5');
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('run.not_possible')]);
  }, 60_000);

  it('says before it is forked where that would begin and what would differ', async () => {
    const words = ['run', 'fork', 'small@6', '--set', 'steps=2', '--name', 'maybe', '--dry-run'];
    const { id } = await up.json<{ id: string }>('run', 'show', 'small');
    const { code, stdout } = await up.cli(...words);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^run maybe {2}project default/)]);
    expect(stdout).toContain(
      `  begins from: step 6 of ${id}, checkpoints/step-000006\n  takes: the weights only\n  needs: one CPU slot\n`,
    );
    expect(stdout).toContain('  steps = 2  of its parent: 6\n');
    const { runs } = up.client;
    expect(await up.json(...words)).toMatchObject({ parentStep: 6, differences: [{ path: 'steps' }] });
    expect((await runs.list({ text: 'maybe' })).items).toEqual([]);
  }, 60_000);

  it('is forked with other settings, and begins with the weights of its parent', async () => {
    const words = ['--set', 'steps=2', '--name', 'child', '--watch'];
    const { code, stderr } = await up.cli('run', 'fork', 'small@6', ...words);
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    const [parent, child] = await Promise.all(['small', 'child'].map((name) => up.json('run', 'show', name)));
    expect(child).toMatchObject({ parentRunId: parent?.['id'], parentStep: 6, steps: 2, state: 'finished' });
    const success = async (runId: unknown, step: number): Promise<unknown> => {
      const range = { fromStep: step, toStep: step };
      const [series] = await up.client.metrics.history([String(runId)], ['validation/success_rate'], range);
      return series?.values[0];
    };
    expect(await success(child?.['id'], 0)).toBe(await success(parent?.['id'], 6));
  }, 120_000);

  it.each(['jsonl', 'csv', 'parquet'] as const)(
    'is exported as %s, and every file is what its hash says',
    async (format) => {
      const folder = join(up.folder, `out-${format}`);
      const manifest = await up.json<{ files: { name: string; sha256: string; rows?: number }[] }>(
        'export',
        'small',
        folder,
        '--format',
        format,
        ...(format === 'jsonl' ? ['--checkpoints'] : []),
      );
      expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).toMatchObject({
        files: manifest.files,
      });
      for (const { name, sha256 } of manifest.files)
        expect([name, hashFile(join(folder, name))]).toEqual([name, sha256]);
      const names = manifest.files.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['run.json', `metrics.${format}`, 'trajectories/step-000006.jsonl.gz']),
      );
      if (format !== 'jsonl') return;
      expect(names).toContain('checkpoints/step-000006/policy/model.safetensors');
      expect(lines(readFileSync(join(folder, 'metrics.jsonl'), 'utf8')).length).toBeGreaterThanOrEqual(6);
      const again = await up.cli('export', 'small', folder);
      expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('cli.unusable_folder')]);
    },
    60_000,
  );

  it('is tagged, noted and deleted', async () => {
    expect(await up.json('run', 'rename', 'child', 'the child')).toMatchObject({ title: 'the child' });
    expect(await up.json('run', 'rename', 'the child', '')).toMatchObject({ title: '', name: 'child' });
    expect(await up.json('run', 'tag', 'child', 'a', 'b')).toMatchObject({ tags: ['a', 'b'] });
    expect(await up.json('run', 'tag', 'child', 'a', '--remove')).toMatchObject({ tags: ['b'] });
    expect(await up.json('run', 'note', 'child', 'done')).toMatchObject({ note: 'done' });
    expect((await up.cli('run', 'delete', 'child')).code).toBe(2);
    expect(await up.json('run', 'delete', 'child', '--yes')).toMatchObject({ name: 'child' });
    expect((await up.cli('run', 'show', 'child')).code).toBe(4);
  });
});

describe('a word for a run', () => {
  it('may be the beginning of its id or its name, if only one is meant', async () => {
    const { id } = await up.json<{ id: string }>('run', 'show', 'small');
    expect(await up.json('run', 'show', id.slice(0, 16))).toMatchObject({ id });
    // long enough that it still runs when it is cancelled
    await up.json('run', 'create', config, '--priority', '-5', '--set', 'steps=1000');
    const { code, stderr } = await up.cli('run', 'show', 'small');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cli\.ambiguous_run.*2 runs match/)]);
    const newest = lines((await up.cli('run', 'list', '--limit', '1', '--json')).stdout)[0];
    expect(await up.json('run', 'cancel', String(newest?.['id']), '--now')).toMatchObject({ priority: -5 });
  });

  it('leads to an error that says what there is when no run is meant', async () => {
    const { code, stderr } = await up.cli('run', 'pause', 'nobody');
    expect([code, stderr]).toEqual([4, expect.stringMatching(/`.+ run list` shows them/)]);
    const refused = await up.cli('run', 'create', config, '--set', 'stepz=3');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/config\.unknown_key.*steps/)]);
  });
});
