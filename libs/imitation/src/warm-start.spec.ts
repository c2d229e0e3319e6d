import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WarmStartSpec, warmStartSpecSchema } from '@espalier/contracts';
import { taughtFile } from '@espalier/contracts/model-choice';
import { warmStartLora } from '../../contracts/src/run-options.js';
import { loadModelFolder, loadTokenizer } from '@espalier/model';
import { learningRateAt } from '@espalier/optimizer';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { PluginLookup } from '@espalier/trainer';
import { createRunLock } from '@espalier/trainer';
import { corridor } from '../../trainer/src/testing/corridor.js';
import { resolveDemonstrations } from './demonstration.js';
import { describeProgress, type WarmStartProgress } from './progress.js';
import { listUntaught, saveTaught } from './taught.js';
import { warmStart } from './warm-start.js';

type Config = ReturnType<typeof loadModelFolder>['config']['json'];
const plugins = { get: () => corridor } as unknown as PluginLookup;
const shape = {
  hiddenSize: 32,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  intermediateSize: 48,
  vocabularySize: 340,
  contextLength: 256,
};
const spec = warmStartSpecSchema.parse({
  name: 'tiny',
  model: shape,
  demonstrations: [{ environment: { use: 'corridor' }, rollout: { maxResponseTokens: 16 }, noise: 0.1 }],
  tokens: 6000,
  batchTokens: 1000,
  microBatchTokens: 600,
  optimizer: { learningRate: 0.01 },
  validation: { everyTokens: 3000, episodes: 4, finalEpisodes: 8 },
  device: { threads: 1 },
});

describe('warmStart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'warm-start-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const losses = (events: readonly WarmStartProgress[]) =>
    events.flatMap((event) => (event.kind === 'step' ? [event.losses['corridor']!] : []));

  it('leaves a whole model folder with a card and nothing of the way there', async () => {
    const out = join(folder, 'whole');
    const events: WarmStartProgress[] = [];
    const result = await warmStart(spec, { plugins, out, command: 'espalier warm-start x' }, (event) =>
      events.push(event),
    );
    expect(result).toMatchObject({ isComplete: true, folder: out });
    expect(result.results[0]).toMatchObject({ demonstration: 'corridor', episodes: 8 });
    const seen = losses(events);
    expect(seen.at(-1)).toBeLessThan(seen[0]! - 0.5);
    expect(events.map(describeProgress).every((line) => line.length > 0)).toBe(true);
    const { config } = loadModelFolder(out);
    const tokenizer = loadTokenizer(out);
    expect(config.json).toMatchObject({
      vocab_size: tokenizer.vocabularySize,
      eos_token_id: tokenizer.endOfTurn,
      dtype: 'float16',
    });
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toContain('espalier warm-start x');
    expect(card).toMatch(/\| corridor \| – \| \d+\.\d % \[/);
    expect(existsSync(`${out}.work`)).toBe(false);
  });

  it('writes nothing where the disk is too small', async () => {
    const out = join(folder, 'no-room');
    await expect(warmStart(spec, { plugins, out, freeBytes: 1000 })).rejects.toMatchObject({
      code: 'trainer.disk_full',
    });
    expect([existsSync(out), existsSync(`${out}.work`)]).toEqual([false, false]);
  });

  it('leaves what it taught, so that a plan can tell what a run asks for beyond it', () => {
    const out = join(folder, 'whole');
    const task = (options: object, maxActionsPerTurn = 2, use = 'corridor') => ({
      environment: { use, length: 5, ...options },
      rollout: { prompt: { preset: 'seedling', thinking: 'required' }, maxActionsPerTurn },
    });
    expect(listUntaught(out, task({}))).toEqual([]);
    expect(listUntaught(out, task({ length: 7 }, 3))).toEqual([
      expect.stringMatching(/^environment\.length: .* showed 5, this run has 7;/),
      expect.stringMatching(/^rollout\.maxActionsPerTurn: .* at most 2 actions per reply.* uses 3$/),
    ]);
    expect(listUntaught(out, task({}, 2, 'bandit'))).toEqual([
      expect.stringMatching(/^environment\.use: .* taught corridor, not bandit;/),
    ]);
    expect(listUntaught(folder, task({ length: 7 }))).toEqual([]);
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    for (const shown of [
      '{"environment":{}}',
      '{"environment":{"use":"corridor"},"prompt":null,"actionsPerTurn":1}',
    ]) {
      writeFileSync(join(broken, taughtFile), `{"demonstrations":[${shown}]}`);
      expect(listUntaught(broken, task({}))).toEqual([
        expect.stringMatching(/is not what a warm start writes/),
      ]);
    }
  });

  it('records no more actions per reply than the limits of the environment let it show', () => {
    const out = join(folder, 'limited');
    mkdirSync(out);
    const [demonstration] = resolveDemonstrations(spec, plugins);
    const many = { ...demonstration!, spec: { ...demonstration!.spec, actionsPerTurn: 5 } };
    saveTaught(out, [many], undefined);
    const { prompt } = demonstration!.spec.rollout;
    const asked = { environment: { use: 'corridor' }, rollout: { prompt, maxActionsPerTurn: 5 } };
    expect(listUntaught(out, asked)).toEqual([
      expect.stringMatching(/^rollout\.maxActionsPerTurn: .* at most 2 actions per reply.* uses 5$/),
    ]);
  });

  it('tells of options that it taught, but not together', () => {
    const out = join(folder, 'apart');
    mkdirSync(out);
    const shown = [
      { environment: { use: 'corridor', length: 5 }, prompt: { thinking: 'required' }, actionsPerTurn: 2 },
      { environment: { use: 'corridor', length: 7 }, prompt: { thinking: 'none' }, actionsPerTurn: 1 },
    ];
    writeFileSync(join(out, taughtFile), JSON.stringify({ demonstrations: shown }));
    const ask = (length: number, thinking: 'required' | 'none', maxActionsPerTurn: number) =>
      listUntaught(out, {
        environment: { use: 'corridor', length },
        rollout: { prompt: { preset: 'seedling', thinking }, maxActionsPerTurn },
      });
    expect(ask(5, 'required', 2)).toEqual([]);
    expect(ask(7, 'none', 1)).toEqual([]);
    expect(ask(7, 'required', 2)).toEqual([
      expect.stringMatching(
        /all that this run asks of corridor, .* has another environment\.length; success/,
      ),
    ]);
    expect(ask(7, 'none', 2)).toEqual([expect.stringMatching(/another rollout\.maxActionsPerTurn; success/)]);
  });

  it('learns the same when it computes layers again in the backward pass', async () => {
    const [kept = [], again = []] = await Promise.all(
      (['off', 'on'] as const).map(async (recompute) => {
        const events: WarmStartProgress[] = [];
        const short = warmStartSpecSchema.parse({ ...spec, tokens: 2000, recompute });
        await warmStart(short, { plugins, out: join(folder, `recompute-${recompute}`) }, (event) =>
          events.push(event),
        );
        return losses(events);
      }),
    );
    expect(again.length).toBeGreaterThan(1);
    expect(again).toEqual(kept);
  });

  it('goes on after a stop request with the losses of a run that was never stopped', async () => {
    const whole: WarmStartProgress[] = [];
    await warmStart(spec, { plugins, out: join(folder, 'a') }, (event) => whole.push(event));
    const parts: WarmStartProgress[] = [];
    const stop = new AbortController();
    const out = join(folder, 'b');
    const first = await warmStart(spec, { plugins, out, signal: stop.signal }, (event) => {
      parts.push(event);
      if (event.kind === 'step' && event.step === 3) stop.abort();
    });
    expect(first).toMatchObject({ isComplete: false, step: 3, folder: join(`${out}.work`, 'model') });
    expect(existsSync(out)).toBe(false);
    expect(loadModelFolder(first.folder).config.json.dtype).toBe('float16');
    expect(readFileSync(join(first.folder, 'README.md'), 'utf8')).toContain('Not evaluated yet');
    const second = await warmStart(spec, { plugins, out }, (event) => parts.push(event));
    expect(second.isComplete).toBe(true);
    expect(losses(parts)).toEqual(losses(whole));
    expect(readFileSync(join(out, 'model.safetensors'))).toEqual(
      readFileSync(join(folder, 'a', 'model.safetensors')),
    );
  });

  it('ends sooner when an unfinished one is given fewer tokens', async () => {
    const stop = new AbortController();
    const out = join(folder, 'shorter');
    const rates: number[] = [];
    const follow = (event: WarmStartProgress): void => {
      if (event.kind === 'step') rates.push(event.learningRate);
      if (event.kind === 'step' && event.step === 2) stop.abort();
    };
    await warmStart(spec, { plugins, out, signal: stop.signal }, follow);
    const shorter = { ...spec, tokens: 3000 };
    expect(await warmStart(shorter, { plugins, out }, follow)).toMatchObject({ isComplete: true, step: 3 });
    const { optimizer } = spec;
    expect(rates).toEqual(
      [0, 1].map((step) => learningRateAt(step, 6, optimizer)).concat(learningRateAt(2, 3, optimizer)),
    );
  });

  it('goes on from a model with its shape and its tokenizer, and is better at once', async () => {
    const events: WarmStartProgress[] = [];
    const out = join(folder, 'further');
    const path = join(folder, 'whole');
    const further = { ...spec, model: { path }, tokens: 2000 };
    await warmStart(further, { plugins, out }, (event) => events.push(event));
    expect(readFileSync(join(out, 'tokenizer.json'))).toEqual(readFileSync(join(path, 'tokenizer.json')));
    const [{ dtype: _given, ...given }, { dtype: _made, ...made }] = [path, out].map(
      (place) => loadModelFolder(place).config.json,
    ) as [Config, Config];
    expect(made).toEqual(given);
    const fresh = await firstLoss(spec);
    expect(losses(events)[0]).toBeLessThan(fresh / 2);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('Continued from `whole`');
    const { demonstrations } = JSON.parse(readFileSync(join(out, taughtFile), 'utf8')) as Record<
      string,
      unknown[]
    >;
    expect(demonstrations).toHaveLength(2);
  });

  it('trains adapters of a model, goes on after a stop, and writes them merged', async () => {
    const path = join(folder, 'whole');
    const adapted = { ...spec, model: { path }, lora: warmStartLora.parse({ rank: 4 }), tokens: 3000 };
    const whole: WarmStartProgress[] = [];
    const out = join(folder, 'adapted');
    await warmStart(adapted, { plugins, out }, (event) => whole.push(event));
    const [given, made] = [path, out].map((place) => loadModelFolder(place).weights);
    const changed = [...given!.keys()].filter((name) =>
      given!.get(name)!.data.some((x, i) => x !== made!.get(name)!.data[i]),
    );
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every((name) => name.endsWith('_proj.weight'))).toBe(true);
    const size = [...made!.values()].reduce((sum, { data }) => sum + data.length, 0);
    expect(whole[0]).toMatchObject({ kind: 'started', parameterCount: size });
    const card = readFileSync(join(out, 'README.md'), 'utf8');
    expect(card).toContain(`A llama transformer of ${(size / 1e6).toFixed(1)} million parameters`);
    expect(card).toContain('Trained as adapters (LoRA, rank 4, alpha 8), which are merged into its weights.');
    expect(card).toMatch(/^\d thousand tokens in \d optimizer steps/m);
    const parts: WarmStartProgress[] = [];
    const stop = new AbortController();
    const again = join(folder, 'adapted-again');
    await warmStart(adapted, { plugins, out: again, signal: stop.signal }, (event) => {
      parts.push(event);
      if (event.kind === 'step' && event.step === 2) stop.abort();
    });
    await warmStart(adapted, { plugins, out: again }, (event) => parts.push(event));
    expect(losses(parts)).toEqual(losses(whole));
    const begin = warmStart(
      { ...adapted, lora: warmStartLora.parse({ rank: 64 }) },
      { plugins, out: join(folder, 'too-high') },
    );
    await expect(begin).rejects.toMatchObject({
      code: 'config.impossible_budget',
      message: expect.stringMatching(/lora\.rank 64: model\.layers\.0\./) as string,
    });
    expect(existsSync(join(folder, 'too-high.work'))).toBe(false);
  });

  async function firstLoss(of: WarmStartSpec): Promise<number> {
    const events: WarmStartProgress[] = [];
    await warmStart({ ...of, tokens: 1000 }, { plugins, out: join(folder, 'first') }, (event) =>
      events.push(event),
    );
    return losses(events)[0]!;
  }

  const stopped = AbortSignal.abort();

  it('keeps a whole model as it is until another is complete', async () => {
    const out = join(folder, 'kept');
    mkdirSync(out);
    writeFileSync(join(out, 'model.safetensors'), 'whole');
    const { folder: unfinished } = await warmStart(spec, { plugins, out, signal: stopped });
    expect(readdirSync(out)).toEqual(['model.safetensors']);
    expect(readFileSync(join(out, 'model.safetensors'), 'utf8')).toBe('whole');
    expect(readdirSync(unfinished)).toContain('model.safetensors');
  });

  it('refuses the unfinished warm start of another spec, or drops it when told to', async () => {
    const out = join(folder, 'foreign');
    const other = { ...spec, seed: 1 };
    await warmStart(other, { plugins, out, signal: stopped });
    const refused = warmStart(spec, { plugins, out, signal: stopped });
    await expect(refused).rejects.toMatchObject({
      code: 'trainer.run_exists',
      message: expect.stringContaining('remove the folder, discard it with --fresh'),
    });
    expect(await warmStart(other, { plugins, out, signal: stopped })).toMatchObject({ step: 0 });
    await warmStart(spec, { plugins, out, fresh: true, signal: stopped });
    expect(JSON.parse(readFileSync(join(`${out}.work`, 'spec.json'), 'utf8'))).toMatchObject({ seed: 0 });
  });

  it('lets one process at a time into a work folder', async () => {
    const out = join(folder, 'locked');
    mkdirSync(`${out}.work`);
    const lock = createRunLock(`${out}.work`);
    await expect(warmStart(spec, { plugins, out })).rejects.toMatchObject({ code: 'trainer.run_locked' });
    lock.release();
    expect(readdirSync(`${out}.work`)).toEqual([]);
  });

  it('leaves nothing behind when it cannot begin', async () => {
    const parent = join(folder, 'nothing');
    const out = join(parent, 'deep', 'model');
    const begin = (change: object) => warmStart({ ...spec, ...change }, { plugins, out });
    await expect(begin({ model: { path: join(folder, 'absent') } })).rejects.toMatchObject({
      code: 'model.malformed_config',
    });
    const [demonstration] = spec.demonstrations;
    const environment = { use: 'corridor', length: 60 };
    const model = { ...shape, contextLength: 64 };
    await expect(
      begin({ model, microBatchTokens: 64, demonstrations: [{ ...demonstration, environment }] }),
    ).rejects.toMatchObject({
      code: 'config.impossible_budget',
    });
    vi.stubEnv('ESPALIER_CACHE', join(folder, 'no-libraries'));
    await expect(begin({ device: { provider: 'cuda' } })).rejects.toMatchObject({
      code: 'runtime.driver_unavailable',
    });
    vi.unstubAllEnvs();
    expect(existsSync(parent)).toBe(false);
  });
});
