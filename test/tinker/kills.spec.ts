/** Either side of a training over the Tinker API is killed again and again: no step is lost, none is applied twice. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRepeatable } from '@espalier/contracts/metric';
import { createEmbeddedEngine } from '@espalier/engine';
import { createStream } from '@espalier/random';
import { createTinkerEngine } from '@espalier/tinker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { oneStep, type Step } from '../support/one-step.js';
import { runCli } from '../support/run-cli.js';
import { serveEngine } from '../support/served-engine.js';

const model = join(import.meta.dirname, '../../plugins/models/seedling/model');
const kills = isLong ? 20 : 1;
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-kills-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const end = (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> => {
  const done = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return done;
};

const valuesOf = ({ version, tokens, gradientNorm, logprobs }: Step): readonly number[] => [
  version,
  ...tokens,
  gradientNorm,
  ...logprobs,
];

describe('a server that is killed', () => {
  it(`is made good ${kills} times: every step is as if it had lived`, async () => {
    let served = await serveEngine(join(root, 'engine'));
    const { url } = served;
    const port = Number(new URL(url).port);
    const engine = await createTinkerEngine({
      url,
      model: 'seedling',
      vocabularySize: 512,
      contextLength: 1024,
      saveEvery: 4,
      patienceMs: 600_000,
    });
    const draws = createStream(7);
    let isDone = false;
    const killing = (async () => {
      for (let n = 0; n < kills; n += 1) {
        await sleep(150 + 900 * draws.next());
        await end(served.process, 'SIGKILL');
        served = await serveEngine(join(root, 'engine'), { port });
      }
      isDone = true;
    })();
    const found: (readonly number[])[] = [];
    while (!isDone || found.length < 12) found.push(valuesOf(await oneStep(engine, found.length)));
    await killing;
    await engine.dispose();
    await end(served.process, 'SIGTERM');
    const own = await createEmbeddedEngine({ folder: model, threads: 1 });
    for (const [n, values] of found.entries()) {
      const expected = valuesOf(await oneStep(own, n));
      // tokens and versions are equal; the rest differs by sums in another order
      values.forEach((value, i) => expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-3));
    }
    await own.dispose();
  }, 1_800_000);
});

describe('a client that is killed', () => {
  it(`resumes ${kills} times: the run is the one that was never killed`, async () => {
    const served = await serveEngine(join(root, 'engine-of-clients'));
    const config = join(root, 'run.yaml');
    const steps = isLong ? 30 : 4;
    writeFileSync(
      config,
      `name: killed
seed: 3
steps: ${steps}
model: { use: seedling }
environment: { use: bandit }
algorithm: { use: grpo }
rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 24 }
validation: { every: 0, atStart: false, atEnd: false }
checkpoint: { every: 1 }
update: { maxSkipped: 0 }
engine: { use: tinker, url: '${served.url}', model: seedling }
`,
    );
    const train = (name: string, ...more: string[]) => ['train', config, '--out', join(root, name), ...more];
    const whole = await runCli(train('whole'));
    expect(whole.code, whole.stderr).toBe(0);
    const draws = createStream(11);
    for (let n = 0, isStarted = false; n < kills; n += 1) {
      const words = train('killed', ...(isStarted ? ['--resume'] : []), '--json');
      const stop = new AbortController();
      const ended = runCli(words, {
        signal: stop.signal,
        onOutput: (text) => {
          // once it trains: at any moment of a step or of a checkpoint
          if (!text.includes('"kind":"phase"')) return;
          isStarted = true;
          void sleep(700 * draws.next()).then(() => stop.abort('SIGKILL'));
        },
      });
      // killed, and not ended by itself
      expect((await ended).code).toBeNull();
    }
    const last = await runCli(train('killed', '--resume'));
    expect(last.code, last.stderr).toBe(0);
    await end(served.process, 'SIGTERM');
    const killed = rowsOf('killed');
    expect(killed.map(({ step }) => step)).toEqual(Array.from({ length: steps }, (_, i) => i + 1));
    expect(killed).toEqual(rowsOf('whole'));
    expect(readdirSync(join(root, 'killed', 'checkpoints')).length).toBeGreaterThan(0);
  }, 1_800_000);
});

/** Metrics of a run without what depends on the machine. */
function rowsOf(name: string): { readonly step: number; readonly values: object }[] {
  const lines = readFileSync(join(root, name, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const { step, values } = JSON.parse(line) as { step: number; values: Record<string, number> };
    const kept = Object.entries(values).filter(
      ([metric]) => isRepeatable(metric) && !/_per_second|\/cpu/.test(metric),
    );
    return { step, values: Object.fromEntries(kept) };
  });
}
