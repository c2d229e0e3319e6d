import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySink } from '@espalier/recorder';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, type TinyTraining, trainTiny } from './testing/tiny-run.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-trainer-'));
});
const train = (training?: TinyTraining) => trainTiny(root, training);

describe('createTrainer', () => {
  it('refuses to start in the folder of another run', async () => {
    await train();
    await expect(train()).rejects.toMatchObject({ code: 'trainer.run_exists' });
  });

  it('leaves nothing behind when it cannot begin', async () => {
    const parts = { registry: tinyRegistry, sink: createMemorySink(), folder: join(root, 'new', 'run') };
    const spec = tinySpec({ model: { path: './no-such-model' } });
    await expect(createTrainer(spec, parts)).rejects.toThrow();
    expect(readdirSync(root)).toEqual([]);
  });

  it('refuses to resume what never began', async () => {
    await expect(train({ resume: true })).rejects.toMatchObject({ code: 'trainer.nothing_to_resume' });
  });

  it('refuses to resume with another spec and names the difference', async () => {
    await train();
    await expect(train({ resume: true, spec: { seed: 1 } })).rejects.toThrow(/seed was 0, now 1/);
  });

  it.each([
    ['spec.json', '{"seed": 0'],
    ['spec.json', 'null'],
    ['attempts.json', '{}'],
    ['attempts.json', '{"attempts":0}'],
  ])('names a damaged %s (%s), sets it aside and goes on', async (name, text) => {
    const straight = await train({ folder: 'straight' });
    const { folder } = await train({ spec: { steps: 2 } });
    writeFileSync(join(folder, name), text);
    const { events, engine } = await train({ resume: true });
    const warnings = events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
    expect(warnings).toEqual([expect.stringMatching(`"${name}" is damaged, .*resuming from step 2`)]);
    expect(readFileSync(join(folder, `corrupt-${name}-1`), 'utf8')).toBe(text);
    expect(events.find(({ kind }) => kind === 'run-started')).toMatchObject({ attempt: 2, step: 2 });
    expect(engine.weight()).toBe(straight.engine.weight());
  });

  it('begins where a process was killed before it had stored anything', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    mkdirSync(join(root, 'run'));
    writeFileSync(join(root, 'run/run.lock'), JSON.stringify({ pid: gone, host: hostname() }));
    const { summary } = await train({ resume: true });
    expect(summary?.step).toBe(4);
  });

  it.each(['removed', 'replaced by another'])(
    'stops when its folder was %s, and does not raise it again',
    async (what) => {
      const folder = join(root, 'run');
      const engine = tinyEngine({
        onLearn: (call) => {
          if (call !== 3) return undefined;
          renameSync(folder, `${folder}-elsewhere`);
          if (what !== 'removed') mkdirSync(folder);
          return undefined;
        },
      });
      const { error } = await train({ engine });
      expect(error).toMatchObject({
        code: 'trainer.write_failed',
        message: expect.stringMatching(
          /was moved, removed or taken over.*last good checkpoint was .*restore it to resume/,
        ) as unknown,
      });
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
      rmSync(folder, { recursive: true, force: true });
      renameSync(`${folder}-elsewhere`, folder);
      rmSync(join(folder, 'run.lock')); // it names this process, which still lives
      const { summary } = await train({ resume: true });
      expect(summary?.step).toBe(4);
    },
  );

  it('counts what the engine’s device has used as measured', async () => {
    let joules = 0;
    const engine = { ...tinyEngine(), readDeviceJoules: () => (joules += 1e6) };
    const { events } = await train({ engine });
    const values = events.flatMap((event) => (event.kind === 'metrics' ? [event.values] : []));
    const metrics = values.find((own) => own['energy/update_joules'] !== undefined);
    expect(metrics?.['energy/update_joules']).toBeGreaterThanOrEqual(1e6);
    expect(metrics?.['energy/measured_joules']).toBeGreaterThanOrEqual(3e6);
  });

  it('has the price of each row where an hour has one', async () => {
    const priced = await train({ spec: { device: { pricePerHour: 7200 } } });
    const rows = priced.events.flatMap((event) => (event.kind === 'metrics' ? [event.values] : []));
    expect(rows.length).toBeGreaterThan(4);
    for (const values of rows) {
      const phases = Object.keys(values).filter((name) => /^time\/(?!step|cpu)[a-z]+_seconds$/.test(name));
      const seconds = phases.reduce((sum, name) => sum + (values[name] ?? NaN), 0);
      expect(values['time/price']).toBeCloseTo(2 * seconds, 9);
    }
  });

  it('resumes with more steps', async () => {
    await train({ spec: { steps: 2 } });
    const { summary } = await train({ resume: true });
    expect(summary?.step).toBe(4);
  });

  it('resumes with another precision of sampling, and the correction that follows from it', async () => {
    const sampledIn = (sampling: string, samplerCorrection: object) => ({
      device: { sampling },
      update: { samplerCorrection },
    });
    const derived = { use: 'truncated', maxRatio: 2 };
    await train({ spec: { steps: 2, ...sampledIn('float32', { use: 'off' }) } });
    const written = train({ resume: true, spec: sampledIn('int8', { use: 'mask', maxRatio: 2 }) });
    await expect(written).rejects.toThrow(/update.samplerCorrection.use was "off", now "mask"/);
    const here = train({ resume: true, spec: sampledIn('float32', derived) });
    await expect(here).rejects.toThrow(/update.samplerCorrection.use was "off", now "truncated"/);
    const { summary, events } = await train({
      resume: true,
      spec: { steps: 3, ...sampledIn('int8', derived) },
    });
    expect(summary?.step).toBe(3);
    const said = (all: typeof events): string[] =>
      all.flatMap((event) =>
        event.kind === 'warning' && event.code === 'trainer.device_changed' ? [event.message] : [],
      );
    expect(said(events)).toEqual([
      expect.stringContaining(
        'from step 2 on it computes with device.sampling int8 (float32 before), so its numbers are others',
      ),
    ]);
    const same = await train({ resume: true, spec: { steps: 3, ...sampledIn('int8', derived) } });
    expect(said(same.events)).toEqual([]);
    const kept = await train({ resume: true, spec: sampledIn('float32', { use: 'off' }) });
    expect(kept.summary?.step).toBe(4);
  });

  it('resumes where the starting model lies in another folder, if its files are the same', async () => {
    const place = (name: string, weights: string): Record<string, unknown> => {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'model.safetensors'), weights);
      return { model: { path: join(root, name) } };
    };
    await train({ spec: { steps: 2, ...place('here', 'same') } });
    const other = train({ resume: true, spec: { steps: 2, ...place('changed', 'other') } });
    await expect(other).rejects.toThrow(/model.path was .*here", now .*changed"/);
    const moved = place('moved', 'same');
    // the moments of the run that saved it
    writeFileSync(join(root, 'moved/optimizer.safetensors'), '');
    const { summary } = await train({ resume: true, spec: moved });
    expect(summary?.step).toBe(4);
  });
});
