import remax from '@espalier/algorithm-remax';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunEvent, runLayout } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PluginLookup } from './bind-plugins.js';
import { exploding, fragileEngine, rollBack } from './testing/fragile-run.js';
import { tinyEngine, tinyRegistry, type TinyTraining, trainTiny } from './testing/tiny-run.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-fork-'));
});
const train = (training?: TinyTraining) => trainTiny(root, training);
const critic = { algorithm: { use: 'tiny', critic: true }, checkpoint: { every: 2, keep: 5 } };
const at = (step: number, run = 'run'): string => `${run}/checkpoints/step-00000${step}`;

/** Rows after a step, without what the clock says. */
const rowsAfter = (events: readonly RunEvent[], from: number) =>
  events.flatMap((event) => {
    if (event.kind !== 'metrics' || event.step <= from) return [];
    const values = Object.entries(event.values).filter(([name]) => isRepeatable(name));
    return [{ step: event.step, values: Object.fromEntries(values) }];
  });
const stateOf = (folder: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, folder, 'state.json'), 'utf8')) as Record<string, unknown>;

describe('a fork that continues', () => {
  it('repeats its parent bit for bit where nothing is changed, and says where it begins', async () => {
    const parent = await train({ spec: critic });
    const twin = await train({ spec: critic, folder: 'twin', fork: at(2) });
    expect(rowsAfter(twin.events, 2)).toEqual(rowsAfter(parent.events, 2));
    expect(rowsAfter(twin.events, 2).length).toBeGreaterThanOrEqual(3);
    expect([twin.engine.weight(), twin.engine.criticWeight()]).toEqual([
      parent.engine.weight(),
      parent.engine.criticWeight(),
    ]);
    expect(stateOf(at(4, 'twin'))).toEqual(stateOf(at(4)));
    expect(twin.events.slice(0, 2)).toMatchObject([
      { kind: 'run-started', step: 2, attempt: 1 },
      { kind: 'checkpoint', step: 2 },
    ]);
  });

  it('goes on with as many critics as it needs, and is refused where the checkpoint has fewer', async () => {
    const critics = (count: number) => ({ ...critic, algorithm: { ...critic.algorithm, critics: count } });
    const parent = await train({ spec: critics(2) });
    const twin = await train({ spec: critics(2), folder: 'twin', fork: at(2) });
    expect([0, 1].map(twin.engine.criticWeight)).toEqual([0, 1].map(parent.engine.criticWeight));
    expect(twin.engine.criticWeight(1)).not.toBe(twin.engine.criticWeight(0));
    const one = await train({ spec: critic, folder: 'one', fork: at(2) });
    expect(one.engine.criticWeight()).toBe(parent.engine.criticWeight());
    await expect(train({ spec: critics(3), folder: 'three', fork: at(2) })).rejects.toMatchObject({
      code: 'trainer.fork_mismatch',
      message: expect.stringContaining('it has fewer critics than the 3 that tiny needs') as unknown,
    });
  });

  it('differs from a run that begins with the weights only', async () => {
    const parent = await train({ spec: critic });
    const engine = tinyEngine();
    await engine.policy.load(join(root, at(2), 'policy'), { optimizer: false });
    const fromWeights = await train({ spec: critic, folder: 'weights', engine });
    expect(fromWeights.engine.weight()).not.toBe(parent.engine.weight());
  });

  describe('of a run that collapsed and had no signal', () => {
    const silent = () => {
      let calls = 0;
      return tinyEngine({
        say: (draw) => (++calls > 40 ? 'no' : draw < 0.5 ? 'Left' : 'Right') + '</answer><end>',
      });
    };
    const base = {
      steps: 9,
      checkpoint: { every: 1, keep: 9 },
      validation: { every: 0, atStart: false, atEnd: false },
    };
    const lost = () => tinyEngine({ say: () => 'no</answer><end>' });
    const monitors = (events: readonly RunEvent[]) => events.filter(({ kind }) => kind === 'monitor');

    it('begins healthy with other settings, and is judged by what it is compared with', async () => {
      const parent = await train({ spec: base, engine: silent() });
      expect(parent.summary).toMatchObject({ outcome: 'no-signal', step: 7 });
      const spec = { ...base, optimizer: { learningRate: 0.5 } };
      const fork = await train({ spec, folder: 'fork', fork: at(7), engine: lost() });
      expect(stateOf(at(7, 'fork'))).toMatchObject({
        skippedInARow: 0,
        unlearned: { trajectories: 0 },
        health: { state: 'healthy', since: 0, evidence: '', streaks: {} },
        recovery: { healthySteps: [] },
      });
      expect(fork.summary).toMatchObject({ outcome: 'finished', step: 9 });
      expect(monitors(fork.events)).toMatchObject([{ previous: 'healthy', state: 'collapsed' }]);
    });

    it('keeps what is remembered of each environment', async () => {
      const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
      const environments = { near: { ...own, groups: 2 }, far: { ...own, groups: 1 } };
      const of = { ...base, environment: undefined, environments, mixing: { compare: 'per-tag' } };
      await train({ spec: of });
      await train({ spec: { ...of, optimizer: { learningRate: 0.5 } }, folder: 'fork', fork: at(7) });
      const tagsOf = (folder?: string) =>
        (stateOf(at(7, folder)) as { health: { tags: Record<string, { inputs: object }> } }).health.tags;
      expect(Object.keys(tagsOf('fork'))).toEqual(['near', 'far']);
      expect(tagsOf('fork')['near']?.inputs).toEqual(tagsOf()['near']?.inputs);
    });

    it.each([
      ['environment', { environment: { use: 'guess', failing: false } }],
      ['reward', { rewards: [{ use: 'environment-return', weight: 2 }] }],
      ['temperature', { rollout: { promptsPerStep: 3, groupSize: 4, temperature: 0.5 } }],
    ])('compares a fork onto another %s with itself only', async (_, change) => {
      await train({ spec: base });
      expect(readdirSync(join(root, at(7)))).toContain('probes.json');
      const fork = await train({ spec: { ...base, ...change }, folder: 'fork', fork: at(7) });
      const { health } = stateOf(at(7, 'fork')) as { health: object };
      expect(health).toEqual({ state: 'healthy', since: 0, evidence: '', calm: 0, inputs: {}, streaks: {} });
      expect(readdirSync(join(root, at(7, 'fork')))).not.toContain('probes.json');
      const warnings = fork.events.filter((event) => event.kind === 'warning');
      expect(warnings).toContainEqual(expect.objectContaining({ code: 'monitor.no_probes' }));
    });

    it('compares one with what its parent measured where only a call may take longer', async () => {
      await train({ spec: base });
      const environment = { use: 'guess', callTimeoutMs: 90_000 };
      await train({ spec: { ...base, environment }, folder: 'fork', fork: at(7) });
      expect(stateOf(at(7, 'fork'))['health']).toEqual(stateOf(at(7))['health']);
      expect(readdirSync(join(root, at(7, 'fork')))).toContain('probes.json');
    });

    it('is what its parent was without a change, says so, and does not end before it begins', async () => {
      await train({ spec: base, engine: silent() });
      const before = stateOf(at(6)) as { skippedInARow: number; health: { evidence: string } };
      const twin = await train({ spec: base, folder: 'twin', fork: at(6), engine: lost() });
      expect(stateOf(at(6, 'twin'))).toMatchObject({ skippedInARow: before.skippedInARow });
      const [inherited] = monitors(twin.events);
      expect(inherited).toMatchObject({ step: 6, state: 'collapsed', action: null });
      expect(inherited).toMatchObject({ message: before.health.evidence });
      const after = await train({ spec: base, folder: 'after', fork: at(7), engine: lost() });
      expect(after.summary).toMatchObject({ step: 9 });
    });
  });

  it('may roll back as often as any run with other settings, and as often as is left without', async () => {
    const spec = exploding(rollBack);
    const parent = await train({ spec, engine: fragileEngine() });
    const folder = `checkpoints/${runLayout.stepName(14)}`;
    const rollBacksOf = (run: string): unknown =>
      (stateOf(`${run}/${folder}`)['recovery'] as { rollBacks: number }).rollBacks;
    expect(parent.summary?.step).toBe(14);
    expect(rollBacksOf('run')).toBe(1);
    const given = { fork: `run/${folder}`, engine: fragileEngine() };
    await train({ ...given, spec: { ...spec, steps: 15 }, folder: 'twin' });
    await train({ ...given, spec: { ...spec, steps: 15, update: { epochs: 2 } }, folder: 'fork' });
    expect([rollBacksOf('twin'), rollBacksOf('fork')]).toEqual([1, 0]);
  });

  it('learns from held groups again only where its algorithm has what it needs of them', async () => {
    const remaxUse = { use: 'remax', ...remax.params.parse({}) };
    const registry: PluginLookup = {
      get: (kind, id) => (id === 'remax' ? (remax as never) : tinyRegistry.get(kind, id)),
    };
    const spec = {
      update: { replay: { groups: 2, capacity: 4, maxAge: 9 } },
      checkpoint: { every: 1, keep: 9 },
    };
    const heldIn = (run: string): boolean => readdirSync(join(root, at(2, run))).includes('replay.jsonl');
    await train({ spec });
    const fork = await train({
      spec: { ...spec, algorithm: remaxUse },
      folder: 'fork',
      fork: at(2),
      registry,
    });
    expect(fork.error).toBeUndefined();
    expect([heldIn('run'), heldIn('fork')]).toEqual([true, false]);
    // those of ReMax have a greedy total, which others do not look at
    const back = { spec, folder: 'back', fork: 'remax/checkpoints/step-000002', registry };
    await train({ spec: { ...spec, algorithm: remaxUse }, folder: 'remax', registry });
    expect((await train(back)).error).toBeUndefined();
    expect(heldIn('back')).toBe(true);
  });

  it('begins its rows with what its parent had done, so that what it does itself is known', async () => {
    const totalsOf = (events: readonly RunEvent[], step: number) =>
      rowsAfter(events, -1).flatMap(({ step: own, values }) =>
        own === step && 'total/episodes' in values
          ? [Object.entries(values).filter(([name]) => /^(?:total\/|update\/.*_steps$)/.test(name))]
          : [],
      );
    const parent = await train({ spec: critic });
    const twin = await train({ spec: critic, folder: 'twin', fork: at(2) });
    const [before] = totalsOf(parent.events, 2);
    expect(before).toEqual(expect.arrayContaining([['update/policy_steps', expect.any(Number)]]));
    expect(totalsOf(twin.events, 2)).toEqual([expect.arrayContaining(before ?? [])]);
    // its rows are written anew where nothing was saved after its beginning, and only then
    rmSync(join(root, at(4, 'twin')), { recursive: true });
    const resumed = await train({ spec: critic, folder: 'twin', resume: true });
    expect(totalsOf(resumed.events, 2)).toEqual(totalsOf(twin.events, 2));
    const longer = { ...critic, steps: 6 };
    const later = await train({ spec: longer, folder: 'twin', resume: true });
    expect(totalsOf(later.events, 4)).toEqual([]);
  });

  it('needs nothing of its parent once it has begun', async () => {
    const parent = await train({ spec: critic });
    await train({ spec: { ...critic, steps: 3 }, folder: 'twin', fork: at(2) });
    rmSync(join(root, 'run'), { recursive: true });
    const resumed = await train({ spec: critic, folder: 'twin', resume: true });
    expect(resumed.engine.weight()).toBe(parent.engine.weight());
  });

  it('plans its learning rate by its own settings, from what is done on', async () => {
    await train();
    const change = { steps: 6, update: { epochs: 3 } };
    const fork = await train({ spec: change, folder: 'fork', fork: at(2) });
    expect(fork.summary?.step).toBe(6);
    // two iterations with one optimizer step each, where three would have been planned
    expect(stateOf(at(6, 'fork'))['recovery']).toMatchObject({ extraSteps: { policy: -4 } });
  });

  it.each([
    ['a critic', { algorithm: { use: 'tiny', critic: true } }, /it has no critic, which tiny needs/],
    ['no steps left', { steps: 2 }, /it has completed 2 steps and steps is 2; raise steps/],
    ['adapters', { lora: { rank: 2 } }, /lora was absent, now .*its moments belong to those adapters/],
  ])(
    'is refused with %s that the checkpoint does not allow, and leaves nothing',
    async (_, spec, message) => {
      await train();
      const refused = train({ spec, folder: 'fork', fork: at(2) });
      await expect(refused).rejects.toMatchObject({
        code: 'trainer.fork_mismatch',
        message: expect.stringMatching(message) as unknown,
      });
      expect(() => readFileSync(join(root, 'fork/spec.json'))).toThrow(/ENOENT/);
    },
  );

  it('is refused from a corrupt checkpoint', async () => {
    await train();
    writeFileSync(join(root, at(2), 'state.json'), '{}');
    const refused = train({ folder: 'fork', fork: at(2) });
    await expect(refused).rejects.toMatchObject({ code: 'trainer.corrupt_checkpoint' });
  });
});
