/** Whole runs over the Tinker API, next to the same runs on the embedded engine; and the commands around them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRepeatable } from '@espalier/contracts/metric';
import { readTrajectories } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { type ServedEngine, serveEngine } from '../support/served-engine.js';

let root: string;
let url = '';
let engine: ServedEngine;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-tinker-runs-'));
  engine = await serveEngine(join(root, 'engine'), { key: 'tml-secret' });
  expect(engine.models).toEqual(['seedling']);
  ({ url } = engine);
});
afterAll(() => {
  engine.process.kill('SIGTERM');
  rmSync(root, { recursive: true, force: true });
});

const env = { TINKER_API_KEY: 'tml-secret' };
/** nobody listens there */
const closed = 'http://127.0.0.1:4599';

/** Writes a short run; `remote` computes it on the server. */
function configure(
  name: string,
  algorithm: string,
  options: { readonly remote: boolean; readonly more?: string },
): string {
  const file = join(root, `${name}.yaml`);
  const engine = options.remote ? `engine: { use: tinker, url: '${url}', model: seedling }` : '';
  writeFileSync(
    file,
    `name: ${name}
seed: 5
steps: 2
model: { use: seedling }
environment: { use: frozen-lake }
algorithm: ${algorithm}
rollout: { promptsPerStep: 2, groupSize: 3, maxTurns: 2, maxResponseTokens: 20 }
update: { epochs: 2 }
validation: { every: 0, atStart: false, atEnd: true, episodes: 2, temperature: 0 }
checkpoint: { every: 1 }
${engine}
${options.more ?? ''}
`,
  );
  return file;
}

function curveOf(name: string): Record<string, number>[] {
  const lines = readFileSync(join(root, name, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly values: Record<string, number> }).values);
}

describe('a run on a server of the Tinker API', () => {
  it.each([
    ['grpo', '{ use: grpo, dualClip: 0 }', 'ppo'],
    [
      'starpo-s',
      '{ use: starpo-s, estimator: group, keepRatio: 0.5, entropyCoefficient: 0 }',
      'sent as a graph',
    ],
  ])(
    'has the curves of the embedded engine: %s',
    async (name, algorithm, route) => {
      const here = configure(`${name}-here`, algorithm, { remote: false });
      const there = configure(`${name}-there`, algorithm, { remote: true });
      for (const [file, out] of [
        [here, `${name}-here`],
        [there, `${name}-there`],
      ] as const) {
        const { code, stderr } = await callCli(['train', file, '--out', join(root, out)], { env });
        expect(code, stderr).toBe(0);
      }
      const [expected, found] = [curveOf(`${name}-here`), curveOf(`${name}-there`)];
      expect(found).toHaveLength(expected.length);
      expected.forEach((values, n) => {
        for (const [metric, value] of Object.entries(values)) {
          if (!isRepeatable(metric) || /^update\/|_per_second/.test(metric)) continue;
          // the sums of a loss in another order; whatever is counted is equal
          expect(Math.abs((found[n]?.[metric] ?? Number.NaN) - value), metric).toBeLessThan(
            1e-4 * Math.max(1, Math.abs(value)),
          );
        }
      });
      const plan = await callCli(['plan', there, '--json'], { env });
      const told = JSON.parse(plan.stdout) as {
        readonly engine: { readonly losses: readonly string[]; readonly server: object };
      };
      expect(told.engine.losses[0]).toContain(route);
      expect(told.engine.server).toEqual({ contextLength: 1024, isOurs: true, takesGraphs: true });
    },
    300_000,
  );

  it('keeps where its weights are, and says so to whoever opens them here', async () => {
    const remote = join(root, 'grpo-there', 'checkpoints', 'step-000002', 'policy', 'remote.json');
    expect(JSON.parse(readFileSync(remote, 'utf8'))).toMatchObject({
      model: 'seedling',
      path: expect.stringMatching(/^tinker:/) as string,
    });
    const opened = await callCli(['model', 'info', join(root, 'grpo-there')]);
    expect(opened.code).not.toBe(0);
    expect(opened.stderr).toMatch(/its weights are on the server that trained them/);
  });

  it('answers an agent program as the embedded engine does, and learns from its sessions', async () => {
    const program = join(root, 'agent.mjs');
    writeFileSync(
      program,
      `const { OPENAI_BASE_URL: base, ESPALIER_REWARD_URL: reward, ESPALIER_API_KEY: key } = process.env;
      const headers = { authorization: 'Bearer ' + key };
      const post = async (url, body) => (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      const messages = [{ role: 'user', content: 'Actions: Dragon, Phoenix.' }];
      let tokens = 0;
      for (let turn = 0; turn < 2; turn += 1) {
        const { choices, usage } = await post(base + '/chat/completions', { messages, max_tokens: 12 });
        messages.push(choices[0].message, { role: 'user', content: 'Once more.' });
        tokens += usage.completion_tokens;
      }
      await post(reward, { reward: tokens / 24, success: tokens < 24 });`,
    );
    const agent = `environment={ use: agent-program, command: [node, '${program}'] }`;
    const played = async (remote: boolean) => {
      const out = `agent-${remote ? 'there' : 'here'}`;
      const file = configure(out, '{ use: grpo, dualClip: 0 }', { remote });
      const words = ['--set', agent, '--set', 'validation.atEnd=false', '--out', join(root, out)];
      const { code, stderr } = await callCli(['train', file, ...words], { env });
      expect(code, stderr).toBe(0);
      return [1, 2].flatMap((step) => readTrajectories(join(root, out, 'trajectories'), { step }));
    };
    const [here, there] = [await played(false), await played(true)];
    expect(here).toHaveLength(12);
    const facts = (trajectories: typeof here) =>
      trajectories.map(({ id, tokens, score, turns }) => ({
        id,
        tokens: [...tokens],
        reward: score.total,
        turns: turns.length,
        versions: turns.map(({ policyVersion }) => policyVersion),
      }));
    expect(facts(there)).toEqual(facts(here));
    // two epochs are two optimizer steps
    expect(new Set(there.flatMap(({ turns }) => turns.map((turn) => turn.policyVersion)))).toEqual(
      new Set([0, 2]),
    );
    there.forEach(({ logprobs }, at) =>
      logprobs.forEach((value, n) => expect(value).toBeCloseTo(here[at]?.logprobs[n] ?? Number.NaN, 4)),
    );
  }, 120_000);

  it('is refused before it starts where the API cannot do it', async () => {
    const refusals: [string, string, RegExp][] = [
      ['critic', '{ use: starpo-s }', /trains a critic.*estimator: group/],
      ['entropy', '{ use: grpo, entropyCoefficient: 0.01 }', /entropy bonus.*entropyCoefficient to 0/],
      ['other', '{ use: grpo }', /no model "large", but "seedling"/],
    ];
    for (const [name, algorithm, message] of refusals) {
      const file = configure(name, algorithm, { remote: true });
      const more = name === 'other' ? ['--set', 'engine.model=large'] : [];
      for (const command of ['plan', 'train']) {
        const out = command === 'train' ? ['--out', join(root, name)] : [];
        const { code, stderr } = await callCli([command, file, ...more, ...out], { env });
        expect(code, command).not.toBe(0);
        expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
      }
      expect(existsSync(join(root, name))).toBe(false);
    }
  });

  it('needs its key', async () => {
    const file = configure('denied', '{ use: grpo }', { remote: true });
    const { code, stderr } = await callCli(['train', file, '--out', join(root, 'denied')], {
      env: { TINKER_API_KEY: 'tml-wrong' },
    });
    expect([code, stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/the key in TINKER_API_KEY is not accepted/),
    ]);
    const elsewhere = { ...env, TINKER_BASE_URL: closed };
    expect((await callCli(['plan', file], { env: elsewhere })).stderr).toMatch(/no key was sent/);
  });

  it('is planned without its server, and not started', async () => {
    const file = configure('away', '{ use: grpo }', { remote: true });
    const away = ['--set', `engine.url=${closed}`, '--set', 'engine.patienceSeconds=3'];
    const plan = await callCli(['plan', file, ...away], { env });
    expect(plan.stdout).toMatch(/does not answer now.*checked when the run starts/);
    const started = await callCli(['train', file, ...away, '--out', join(root, 'away')], { env });
    expect(started.stderr).toMatch(/warning: engine at .*ECONNREFUSED.*waiting for it, [012] s more/);
    expect(started.stderr).toMatch(/error engine\.unreachable/);
    expect(existsSync(join(root, 'away'))).toBe(false);
  });

  it('says that it waits for a server which is away, and goes on', async () => {
    let away = 0;
    const proxy = createServer((request, response) => {
      // away for 2.5 seconds, from the first gradient on
      if (away === 0 && request.url?.endsWith('forward_backward') === true) away = Date.now();
      if (away > 0 && Date.now() - away < 2500) return void request.socket.destroy();
      const { method, headers } = request;
      const onward = ask(`${url}${request.url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const file = configure('waits', '{ use: grpo }', { remote: true });
    const words = ['--set', `engine.url=http://127.0.0.1:${port}`, '--set', 'steps=1', '--json'];
    const { code, stdout } = await callCli(['train', file, ...words, '--out', join(root, 'waits')], { env });
    expect(code).toBe(0);
    const warnings = stdout.split('\n').filter((line) => line.includes('"engine.waiting"'));
    expect(warnings).toEqual([expect.stringMatching(/no answer \(.*waiting for it/)]);
    proxy.closeAllConnections();
    proxy.close();
  });

  it('names options that have no effect there, and those that are wrong', async () => {
    const file = configure('inert', '{ use: grpo }', { remote: true, more: 'lora: { rank: 4, alpha: 8 }' });
    const plan = JSON.parse((await callCli(['plan', file, '--json'], { env })).stdout) as {
      readonly inert: readonly { readonly path: string; readonly set: boolean }[];
    };
    expect(plan.inert).toContainEqual(expect.objectContaining({ path: 'lora.alpha', set: true }));
    const secret = await callCli(['plan', file, '--set', 'engine.url=http://me:secret@host']);
    expect(secret.stderr).toMatch(/leave out user and password/);
  });
});

describe('espalier engine serve', () => {
  it('is not offered to other machines without a key', async () => {
    const { code, stderr } = await callCli(['engine', 'serve', 'seedling', '--host', '0.0.0.0']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/set ESPALIER_ENGINE_KEY/);
  });

  it('names the address that is taken', async () => {
    const { port } = new URL(url);
    const { stderr } = await callCli([
      'engine',
      'serve',
      'seedling',
      '--port',
      port,
      '--data',
      join(root, 'other'),
    ]);
    expect(stderr).toMatch(/another program listens there/);
  });

  it('has a help with examples', async () => {
    const { stdout } = await callCli(['engine', 'serve', '--help']);
    expect(stdout).toMatch(/engine serve seedling/);
    expect(stdout).toMatch(/ESPALIER_ENGINE_KEY/);
  });
});
