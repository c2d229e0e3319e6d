import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, ScoreRequest, TrainableModel } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { createMemorySink } from '@espalier/recorder';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import {
  tinyEngine,
  tinyRegistry,
  tinySpec,
  tinyTokenizer,
  type TinyTraining,
  trainTiny,
} from './testing/tiny-run.js';
import type { ToyEngine } from './testing/toy-engine.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-trainer-'));
});

const train = (training?: TinyTraining) => trainTiny(root, training);

const rows = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'metrics' ? [{ step: event.step, values: event.values }] : []));

/** Rows without what may differ between equal runs. */
const lasting = (events: readonly RunEvent[]) =>
  rows(events).map(({ step, values }) => ({
    step,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => isRepeatable(name))),
  }));

const attempts = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'trajectory'
      ? [`${event.step} ${event.trajectory.id} ${event.trajectory.tokens.join()}`]
      : [],
  );

describe('runTrainer', () => {
  it('trains, validates and saves when it should', async () => {
    const { summary, events, folder, engine } = await train();
    expect(summary).toMatchObject({ outcome: 'finished', reason: 'steps', step: 4 });
    const told = rows(events).map(
      ({ step, values }) => `${step}${'validation/success_rate' in values ? 'v' : ''}`,
    );
    expect(told).toEqual(['0v', '1', '2', '2v', '3', '4', '4v']);
    expect(readdirSync(join(folder, 'checkpoints')).sort()).toEqual(['step-000002', 'step-000004']);
    expect(readdirSync(join(folder, 'validation')).sort()).toEqual([
      'step-000000.json',
      'step-000002.json',
      'step-000004.json',
    ]);
    expect(engine.weight()).not.toBe(0.5);
    expect(existsSync(join(folder, 'run.lock'))).toBe(false);
    expect(events.at(-1)).toMatchObject({ kind: 'run-ended', outcome: 'finished', step: 4 });
  });

  it('tells the engine of the other mini-batches of an update', async () => {
    const engine = tinyEngine();
    const { forwardBackward } = engine.policy;
    const calls: { readonly own: string; readonly others: readonly string[] }[] = [];
    const nameOf = (requests: readonly ScoreRequest[]): string =>
      requests.map(({ tokens, positions }) => `${tokens.join()}:${positions.join()}`).join(' ');
    Object.assign(engine.policy, {
      forwardBackward: (batch, loss, others = []) => {
        calls.push({ own: nameOf(batch), others: others.map(nameOf) });
        return forwardBackward(batch, loss);
      },
    } satisfies Partial<TrainableModel>);
    await train({ engine, spec: { steps: 1, update: { miniBatches: 3 } } });
    expect(calls).toHaveLength(3);
    const names = calls.map(({ own }) => own);
    expect(new Set(names).size).toBe(3);
    for (const { own, others } of calls) expect(others).toEqual(names.filter((name) => name !== own));
  });

  it('counts completed iterations as steps in events, trajectories and ids alike', async () => {
    const { events } = await train({ spec: { steps: 2 } });
    const found = events.flatMap((event) => (event.kind === 'trajectory' ? [event] : []));
    for (const { step, trajectory } of found)
      expect([trajectory.step, trajectory.id]).toEqual([
        step,
        `${trajectory.split}/${step}/${trajectory.group}/${trajectory.index}`,
      ]);
    expect(new Set(found.map(({ trajectory: { split, step } }) => `${split} ${step}`))).toEqual(
      new Set(['validation 0', 'train 1', 'train 2', 'validation 2']),
    );
  });

  it('says what it is doing, phase by phase', async () => {
    const { events } = await train({
      spec: { steps: 1, update: { epochs: 2 }, validation: { atStart: false } },
    });
    const told = events.flatMap((event) =>
      event.kind === 'phase' && event.done === 0 ? [`${event.phase} of ${event.total}`] : [],
    );
    expect(told.filter((line) => !/collect|validate/.test(line))).toEqual([
      'credit of 1',
      'update of 2',
      'save of 1',
    ]);
  });

  it('warns of what its engine does otherwise than the embedded one', async () => {
    const engine = tinyEngine();
    const description = { ...engine.description, notes: ['entropies are estimates'] };
    const { events } = await train({ spec: { steps: 1 }, engine: { ...engine, description } });
    expect(
      events.flatMap((event) => (event.kind === 'warning' ? [[event.code, event.message]] : [])),
    ).toContainEqual(['engine.limited', 'engine: entropies are estimates']);
  });

  it('accounts for the time of a step by phase', async () => {
    const phaseNames = ['collect', 'select', 'credit', 'update', 'report', 'monitor'];
    const slow = tinyEngine({
      onLearn: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20),
    });
    const { events } = await train({ engine: slow });
    const timed = rows(events).filter(({ values }) => 'time/step_seconds' in values);
    expect(timed).toHaveLength(4);
    for (const { values } of timed) {
      const phases = phaseNames.map((name) => values[`time/${name}_seconds`]!);
      const sum = phases.reduce((total, seconds) => total + seconds, 0);
      expect(sum).toBeCloseTo(values['time/step_seconds']!, 9);
      // the engine waits 20 ms in every update
      expect(values['time/update_seconds']).toBeGreaterThanOrEqual(0.0199);
      const used = phases.reduce((total, _, at) => total + values[`time/${phaseNames[at]}_cpu_seconds`]!, 0);
      const offered = values['time/step_seconds']! * availableParallelism();
      expect(values['time/processor_share']).toBeCloseTo(Math.min(1, used / offered), 9);
    }
  });

  it('saves after the current iteration when a checkpoint is requested', async () => {
    const engine = tinyEngine({ onLearn: (call) => void (call === 2 && trainer.requestCheckpoint()) });
    const sink = createMemorySink();
    const folder = join(root, 'requested');
    const trainer = await createTrainer(tinySpec({ steps: 4, checkpoint: { every: 0 } }), {
      registry: tinyRegistry,
      sink,
      folder,
      engine,
      tokenizer: tinyTokenizer,
    });
    await trainer.run(new AbortController().signal).finally(() => trainer.dispose());
    const saved = sink.events.flatMap((event) => (event.kind === 'checkpoint' ? [event.step] : []));
    expect(saved).toEqual([2, 4]);
  });

  it.each([2, 3])('goes on after a stop in iteration %i as if it had not stopped', async (iteration) => {
    const spec = {
      algorithm: { use: 'tiny', critic: true, reference: true },
      update: { epochs: 2, miniBatches: 3 },
    };
    const straight = await train({ folder: 'straight', spec });
    const controller = new AbortController();
    const learning = iteration * 6; // two passes of three mini-batches
    const stopped = tinyEngine({ onLearn: (call) => void (call === learning && controller.abort()) });
    const first = await train({ folder: 'halves', spec, engine: stopped, signal: controller.signal });
    expect(first.summary).toMatchObject({ outcome: 'interrupted', reason: 'stop-request', step: iteration });
    const second = await train({ folder: 'halves', spec, resume: true });
    expect(second.engine.weight()).toBe(straight.engine.weight());
    expect(second.engine.criticWeight()).toBe(straight.engine.criticWeight());
    expect(lasting([...first.events, ...second.events])).toEqual(lasting(straight.events));
    expect(attempts([...first.events, ...second.events])).toEqual(attempts(straight.events));
    const weights = (folder: string) =>
      readFileSync(join(folder, 'checkpoints', 'step-000004', 'policy', 'model.safetensors'), 'utf8');
    expect(weights(second.folder)).toBe(weights(straight.folder));
  });

  it('drops the attempts under way on a stop request and collects them anew', async () => {
    const straight = await train({ folder: 'straight' });
    const controller = new AbortController();
    const engine = tinyEngine({ onSample: (call) => void (call === 60 && controller.abort()) });
    const first = await train({ folder: 'halves', engine, signal: controller.signal });
    expect(first.summary?.reason).toBe('stop-request');
    expect(readdirSync(join(first.folder, 'checkpoints'))).toContain(`step-00000${first.summary!.step}`);
    const second = await train({ folder: 'halves', resume: true });
    expect(second.engine.weight()).toBe(straight.engine.weight());
    expect(attempts([...first.events, ...second.events])).toEqual(attempts(straight.events));
  });

  it('goes on from the checkpoint before a corrupt one, and says so', async () => {
    const straight = await train({ folder: 'straight' });
    const { folder } = await train();
    writeFileSync(join(folder, 'checkpoints', 'step-000004', 'policy', 'model.safetensors'), '0.75');
    const again = await train({ resume: true });
    expect(again.events).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        code: 'trainer.corrupt_checkpoint',
        message: expect.stringContaining('"policy/model.safetensors" has') as unknown,
      }),
    );
    expect(again.engine.weight()).toBe(straight.engine.weight());
    expect(readdirSync(join(folder, 'checkpoints')).sort()).toEqual([
      'corrupt-step-000004-1',
      'step-000002',
      'step-000004',
    ]);
  });

  it('stops the step on a loss that is no number and keeps the last good checkpoint', async () => {
    const engine = tinyEngine({ onLearn: (call) => (call === 4 ? Number.NaN : undefined) });
    const { error, events, folder } = await train({ engine });
    expect(error).toMatchObject({ code: 'engine.not_finite' });
    expect(error?.message).toMatch(
      /^train step: loss "tiny" is NaN; the step was not applied; the last good checkpoint is ".*step-000002"$/,
    );
    expect(readdirSync(join(folder, 'checkpoints'))).toEqual(['step-000002']);
    expect(events.at(-1)).toMatchObject({
      kind: 'run-ended',
      outcome: 'failed',
      message: expect.stringMatching(/the last good checkpoint is ".*step-000002"$/) as unknown,
    });
  });

  it('saves the last completed iteration when collecting fails', async () => {
    const engine = tinyEngine({
      onSample: (call) => {
        if (call > 90) throw new Error('no power');
      },
    });
    const { error, events, folder } = await train({ engine, spec: { checkpoint: { every: 0 } } });
    expect(error).toMatchObject({ code: 'rollout.too_many_errors' });
    expect(readdirSync(join(folder, 'checkpoints'))).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ outcome: 'failed' });
  });

  it('skips updates without signal, warns, and stops after five in a row', async () => {
    const engine = tinyEngine({ say: () => 'no answer<end>' });
    const { summary, events } = await train({ engine, spec: { steps: 20, validation: { every: 0 } } });
    expect(summary).toMatchObject({ outcome: 'no-signal', reason: 'no-signal', step: 5 });
    expect(summary?.message).toMatch(
      /^5 iterations in a row .* at step 5 of 20; not in the required form: none of \d+ replies were: .*espalier warm-start/,
    );
    expect(engine.weight()).toBe(0.5);
    expect(
      events.filter((event) => event.kind === 'warning' && event.code === 'trainer.no_signal'),
    ).toHaveLength(5);
    const [last, closing] = rows(events).slice(-2);
    expect(last?.values).toMatchObject({ 'update/skipped': 1, 'update/skipped_in_a_row': 5 });
    expect([closing?.step, closing?.values]).toMatchObject([5, { 'validation/success_rate': 0 }]);
  });

  it('tells a task that is too easy from one that is too hard, and from groups that agree', async () => {
    const engine = () => tinyEngine({ say: () => 'Left</answer><end>' });
    const stopped = (promptsPerStep: number, seed: number, steps: number, resume = false) =>
      trainTiny(root, {
        folder: `verdict-${promptsPerStep}-${seed}`,
        engine: engine(),
        resume,
        spec: {
          seed,
          steps,
          rollout: { promptsPerStep, groupSize: 4, prompt: { thinking: 'none' } },
          validation: { every: 0, atStart: false, atEnd: false },
          update: { maxSkipped: promptsPerStep === 1 ? 1 : 2 },
        },
      });
    const verdicts = new Set<string>();
    for (let seed = 0; seed < 6; seed++) {
      const { summary, events } = await stopped(1, seed, 9);
      const wins = events.filter((one) => one.kind === 'trajectory' && one.trajectory.success).length;
      const verdict = wins === 4 ? 'too easy: all 4 episodes succeeded' : 'too hard: none of 4 episodes';
      expect(summary?.message).toContain(verdict);
      verdicts.add(verdict);
    }
    expect(verdicts.size).toBe(2);
    // half of the states have the other side; what was counted before a stop still counts
    expect((await stopped(8, 1, 1)).summary?.outcome).toBe('finished');
    const { summary } = await stopped(8, 1, 9, true);
    expect(summary?.message).toMatch(
      /^2 iterations .* at step 2 of 9; \d+ of 64 episodes succeeded, but .*raise rollout\.temperature/,
    );
  });

  it('tells a policy that has collapsed from a task that is too hard', async () => {
    let calls = 0;
    const say = (): string =>
      ++calls > 24 ? 'no answer<end>' : `${calls % 2 === 0 ? 'Left' : 'Right'}</answer><end>`;
    const spec = {
      steps: 20,
      rollout: { promptsPerStep: 2, groupSize: 4, prompt: { thinking: 'none' } },
      validation: { every: 0, atStart: false, atEnd: false },
    };
    const { summary } = await train({ engine: tinyEngine({ say }), spec });
    expect(summary?.message).toMatch(
      /at step \d of 20; collapsed since step \d, not too hard: it succeeded before, and in none of the last 40 episodes; no checkpoint .*: start a new run .*roll back$/,
    );
  });

  it('goes on where observations teach from groups that scored the same', async () => {
    const engine = tinyEngine({ say: () => 'no answer<end>' });
    const update = { observationLoss: { coefficient: 0.05 } };
    const { summary, events } = await train({ engine, spec: { steps: 6, validation: { every: 0 }, update } });
    expect(summary).toMatchObject({ reason: 'steps', step: 6 });
    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([]);
    expect(rows(events).some(({ values }) => values['update/skipped'] === 1)).toBe(false);
  });

  it.each([
    ['a critic', { critic: true }, [0, 3], 'only the critic learned'],
    ['a reference policy', { reference: true }, [3, 0], 'the policy was only pulled to its reference'],
  ])('stops where nothing but %s learns, with the usual reason', async (_name, own, steps, finding) => {
    const engine = tinyEngine({ say: () => 'no answer<end>' });
    const spec = {
      steps: 7,
      validation: { every: 0 },
      algorithm: { use: 'tiny', ...own },
      update: { maxSkipped: 3 },
    };
    const { summary, events } = await train({ engine, spec });
    expect(summary).toMatchObject({ reason: 'no-signal', step: 3 });
    expect(summary?.message).toContain('not in the required form');
    const { values = {} } = rows(events).findLast(({ values: row }) => 'update/skipped' in row) ?? {};
    expect([values['update/policy_steps'], values['update/critic_steps']]).toEqual(steps);
    expect([values['update/skipped'], values['update/skipped_in_a_row']]).toEqual([1, 3]);
    const warning = events.find((one) => one.kind === 'warning') as { message: string };
    expect(warning.message).toContain(finding);
  });

  it.each([
    [2, 2, 'no-signal', 'the run stops at 2'],
    [7, 7, 'no-signal', 'the run stops at 7'],
    [0, 7, 'steps', 'update.maxSkipped is 0: the run continues'],
  ])('with maxSkipped %i runs %i iterations without signal', async (maxSkipped, step, reason, warning) => {
    const engine = tinyEngine({ say: () => 'no answer<end>' });
    const spec = { steps: 7, validation: { every: 0 }, update: { maxSkipped } };
    const { summary, events } = await train({ engine, spec });
    expect(summary).toMatchObject({ reason, step });
    const warnings = events.filter(({ kind }) => kind === 'warning') as { message: string }[];
    expect(warnings).toHaveLength(step);
    for (const { message } of warnings) expect(message).toContain(warning);
  });

  it('names a learning rate that destroys models when there is no signal', async () => {
    const engine = tinyEngine({ say: () => 'no answer<end>' });
    const optimizer = { learningRate: 10 };
    const { summary } = await train({ engine, spec: { optimizer, steps: 20, validation: { every: 0 } } });
    expect(summary?.message).toMatch(
      /at step 5 of 20; optimizer\.learningRate 10 is above 0\.005 .* lower it \(1e-5 to 1e-3 is usual\)/,
    );
  });

  it('tells that saving failed as well', async () => {
    const honest = tinyEngine({
      onSample: (call) => {
        if (call > 90) throw new Error('no power');
      },
    });
    const save = () => Promise.reject(new Error('disk full'));
    const engine: ToyEngine = { ...honest, policy: { ...honest.policy, save } };
    const { events } = await train({ engine, spec: { checkpoint: { every: 0 } } });
    expect(events.at(-1)).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(
        /saving step \d failed as well: disk full; no checkpoint was written$/,
      ) as unknown,
    });
  });

  it('lets each schedule last as long as its model learns', async () => {
    const schedule = { kind: 'linear' };
    const { events } = await train({
      spec: {
        steps: 4,
        algorithm: { use: 'tiny', critic: true },
        validation: { every: 0, atStart: false },
        update: { criticWarmup: 2, epochs: 2 },
        optimizer: { learningRate: 1, schedule },
        criticOptimizer: { learningRate: 1, schedule },
      },
    });
    const ratesOf = (name: string) =>
      rows(events).flatMap(({ values }) => values[`${name}/learning_rate`] ?? []);
    // the last rate of each iteration: four policy steps, eight critic steps
    expect(ratesOf('policy')).toEqual([0.75, 0.25]);
    expect(ratesOf('critic')).toEqual([0.875, 0.625, 0.375, 0.125]);
  });

  it('leaves the policy as it is while the critic warms up', async () => {
    const engine = tinyEngine();
    await train({
      engine,
      spec: { steps: 2, algorithm: { use: 'tiny', critic: true }, update: { criticWarmup: 2 } },
    });
    expect(engine.weight()).toBe(0.5);
    expect(engine.criticWeight()).not.toBe(0.5);
  });

  it('measures no gap between sampling and the first training pass of an honest engine', async () => {
    const { events } = await train({ spec: { update: { epochs: 2 }, optimizer: { learningRate: 0.01 } } });
    const gaps = rows(events).flatMap(({ values }) => values['policy/logprob_gap_max'] ?? []);
    expect(gaps).toEqual([0, 0, 0, 0]);
  });

  it('names a column the loss cannot have', async () => {
    const { error } = await train({ spec: { algorithm: { use: 'tiny', column: 'oldValues' } } });
    expect(error).toMatchObject({
      code: 'trainer.missing_column',
      message: expect.stringMatching(
        /loss "tiny" reads column "oldValues", available: advantages, oldLogprobs/,
      ),
    });
  });
});
