/**
 * Either side of a training over SkyRL 0.4.0 is killed again and again: no step is lost, none is applied twice. `SKYRL_PYTHON=<python
 * of an environment with skyrl[tinker,jax]==0.4.0 and aiohttp> npm run test:long -- test/tinker/skyrl-kills`; SKYRL_KILLS says how often
 * each side dies (default 10). The same against our own server is in kills.spec.ts.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStream } from '@espalier/random';
import { freePort } from '@espalier/testing';
import { createTinkerEngine } from '@espalier/tinker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneStep } from '../support/one-step.js';
import { runCli } from '../support/run-cli.js';
import { type SkyRlServer, startSkyRl } from '../support/skyrl-server.js';

const python = process.env['SKYRL_PYTHON'] ?? '';
const kills = Number(process.env['SKYRL_KILLS'] ?? 10);
const long = 3_600_000;
/** What a step did, which must not depend on who died in it. */
const exact = ['update/policy_steps', 'total/episodes', 'total/sampled_tokens', 'rollout/reward_mean'];

describe.skipIf(!existsSync(python))('training over SkyRL (set SKYRL_PYTHON)', () => {
  const root = mkdtempSync(join(tmpdir(), 'espalier-skyrl-kills-'));
  let port: number;
  let server: SkyRlServer;
  // the server keeps the adapters of each killed run for a while
  const words = ['--data', join(root, 'server'), '--adapters', String(kills + 8)];
  const startServer = () => startSkyRl(python, [...words, '--port', String(port)]);
  beforeAll(async () => {
    port = await freePort();
    server = await startServer();
  }, long);
  afterAll(async () => {
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  }, long);

  it(
    `goes on when the server is killed ${kills} times, as if it had lived`,
    async () => {
      const open = () =>
        createTinkerEngine({
          url: server.url,
          model: 'seedling',
          lora: { rank: 8, seed: 3 },
          vocabularySize: 512,
          contextLength: 160,
          saveEvery: 4,
          patienceMs: 600_000,
        });
      const train = async (isDone: (steps: number) => boolean) => {
        const engine = await open();
        const found: (readonly number[])[] = [];
        while (!isDone(found.length)) {
          const { version, tokens, logprobs } = await oneStep(engine, found.length);
          found.push([version, ...tokens, ...logprobs]);
        }
        await engine.dispose();
        return found;
      };
      let died = 0;
      let steps = 0;
      const draws = createStream(7);
      const killed = train((count) => {
        steps = count;
        return died === kills && count >= 3 * kills;
      });
      for (; died < kills; died += 1) {
        // so that it has something to lose, and at any moment of a step
        const reached = steps;
        while (steps < reached + 2) await sleep(20);
        await sleep(3000 * draws.next());
        await server.kill();
        server = await startServer();
      }
      const found = await killed;
      const undisturbed = await train((count) => count === found.length);
      const differences = found.flatMap((values, n) =>
        values.map((value, i) => Math.abs(value - (undisturbed[n]?.[i] ?? Number.NaN))),
      );
      console.log(`${found.length} steps, ${died} kills, largest difference ${Math.max(...differences)}`);
      // tokens and versions are equal; the rest differs by sums in another order
      for (const difference of differences) expect(difference).toBeLessThan(1e-3);
    },
    long,
  );

  it(
    `goes on when the run is killed ${kills} times, as if it had lived`,
    async () => {
      const config = join(root, 'run.yaml');
      const steps = 3 * kills;
      writeFileSync(
        config,
        `name: killed
seed: 3
steps: ${steps}
model: { use: seedling }
lora: { rank: 8, alpha: 32 }
environment: { use: bandit }
algorithm: { use: grpo, dualClip: 0 }
optimizer: { maxGradientNorm: 1.0e9 }
rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 24 }
validation: { every: 0, atStart: false, atEnd: false }
checkpoint: { every: 1 }
update: { maxSkipped: 0 }
engine: { use: tinker, url: '${server.url}', model: seedling, patienceSeconds: 600 }
`,
      );
      const train = (name: string, ...more: string[]) => [
        'train',
        config,
        '--out',
        join(root, name),
        ...more,
      ];
      const draws = createStream(11);
      let reached = 0;
      for (let n = 0; n < kills; n += 1) {
        const stop = new AbortController();
        let isAimed = false;
        const { code, stdout } = await runCli(train('killed', ...(n === 0 ? [] : ['--resume']), '--json'), {
          signal: stop.signal,
          onOutput: (text) => {
            if (isAimed || !text.includes('"kind":"phase"')) return;
            isAimed = true;
            void sleep(9000 * draws.next()).then(() => stop.abort('SIGKILL'));
          },
        });
        // killed, and not ended by itself
        expect(code, stdout.slice(-1000)).toBeNull();
        reached = linesOf('killed').length;
      }
      const last = await runCli(train('killed', '--resume'));
      expect(last.code, last.stderr).toBe(0);
      const whole = await runCli(train('whole'));
      expect(whole.code, whole.stderr).toBe(0);
      console.log(`${kills} kills, the last after step ${reached} of ${steps}`);
      const [found, undisturbed] = [rowsOf('killed'), rowsOf('whole')];
      expect(found.map(({ step }) => step)).toEqual(Array.from({ length: steps }, (_, i) => i + 1));
      for (const metric of exact)
        expect(valuesOf(found, metric), metric).toEqual(valuesOf(undisturbed, metric));
      const entropies = valuesOf(undisturbed, 'rollout/entropy');
      const differences = valuesOf(found, 'rollout/entropy').map((value, n) =>
        Math.abs(value - (entropies[n] ?? Number.NaN)),
      );
      console.log(`largest difference of an entropy ${Math.max(...differences)}`);
      for (const difference of differences) expect(difference).toBeLessThan(1e-3);
    },
    long,
  );

  type Row = { readonly step: number; readonly values: Readonly<Record<string, number>> };
  /** Whole lines. */
  const linesOf = (name: string): string[] => {
    const path = join(root, name, 'metrics.jsonl');
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  };
  const rowsOf = (name: string): Row[] => linesOf(name).map((line) => JSON.parse(line) as Row);
  const valuesOf = (rows: readonly Row[], metric: string): number[] =>
    rows.map(({ values }) => values[metric] ?? Number.NaN);
});
