import { createScriptedEngine } from '@espalier/engine';
import { type AgentPlayer, openAgentPlayer } from '@espalier/endpoint';
import type { PlayedEpisode } from '@espalier/rollout/agents';
import { afterEach, describe, expect, it } from 'vitest';
import agentProgram from '../../plugins/environments/agent-program/src/index.js';

const encode = (text: string): Int32Array => Int32Array.from(Buffer.from(text));
const tokenizer = {
  vocabularySize: 300,
  endOfTurn: 256,
  stopTokens: [256],
  pad: 257,
  encode,
  decode: (tokens: ArrayLike<number>) => Buffer.from(Array.from(tokens).filter((id) => id < 256)).toString(),
  renderMessages: (messages: readonly { role: string; content: string }[]) =>
    messages.map(({ role, content }) => `${role}: ${content}\n`).join(''),
};
let player: AgentPlayer;
afterEach(() => player.close());

async function open(options: Record<string, unknown>): Promise<AgentPlayer> {
  const engine = createScriptedEngine({
    answer: () => [...encode('yes'), 256],
    vocabularySize: 300,
    contextLength: 1000,
  });
  player = await openAgentPlayer({
    program: agentProgram.agent!(agentProgram.params.parse(options)),
    policy: engine.policy,
    tokenizer,
    contextLength: 1000,
    variables: {},
    model: 'run',
  });
  return player;
}

const program = (source: string): { command: string[] } => ({
  command: [process.execPath, '--input-type=module', '-e', source],
});
const ask = `const { OPENAI_BASE_URL: base, ESPALIER_REWARD_URL: reward, ESPALIER_TASK_SEED: seed } = process.env;
const post = async (url, body) => (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json();
const call = () => post(base + '/chat/completions', { messages: [{ role: 'user', content: 'task ' + seed }], temperature: 0 });`;

const episode = (more: Partial<PlayedEpisode> = {}, index = 0): PlayedEpisode => ({
  rollout: {
    environment: 'agent-program',
    split: 'train',
    step: 3,
    group: 1,
    index,
    seeds: { state: 77, noise: 5, sampling: 6 },
  },
  sampling: { temperature: 1, topP: 1, topK: 0, maxTokens: 10 },
  contextTokens: 1000,
  maxCalls: 2,
  signal: new AbortController().signal,
  ...more,
});

describe('a program that the run starts', () => {
  it('is told its task, plays, and ends with its reward', async () => {
    await open(
      program(
        `${ask} await call(); await post(reward, { reward: 0.25, success: false, metrics: { tries: 1 } });`,
      ),
    );
    const played = await player.play(episode());
    expect(played).toMatchObject({ id: 'train/3/1/0', stopReason: 'failure', success: false });
    expect(played.turns).toMatchObject([
      { observation: 'task 77', response: 'yes', reward: 0.25, actions: [{ metrics: { tries: 1 } }] },
    ]);
  });

  it('has failed when it ends without a reward, with its last words', async () => {
    await open(program(`${ask} await call(); throw new Error('out of order');`));
    const { stopReason, error, turns } = await player.play(episode());
    expect(stopReason).toBe('error');
    expect(error).toMatch(/ended with code 1.*out of order.*posted no reward/s);
    expect(turns).toHaveLength(1);
  });

  it('has failed when it never calls the model, or cannot be started', async () => {
    await open(program(`${ask} await post(reward, { reward: 1 });`));
    expect((await player.play(episode())).stopReason).toBe('error');
    await player.close();
    await open({ command: ['/nowhere/agent'] });
    expect((await player.play(episode())).error).toMatch(/could not be started/);
  });

  it('has failed when it never ends, and is ended', async () => {
    await open({ ...program(`${ask} await call(); setInterval(() => {}, 1000);`), sessionTimeoutMs: 1500 });
    const { stopReason, error } = await player.play(episode());
    expect([stopReason, error]).toEqual(['timeout', expect.stringMatching(/no reward after 1500 ms/)]);
    await player.close();
    await open({ ...program('setInterval(() => {}, 1000);'), idleTimeoutMs: 200 });
    expect((await player.play(episode())).error).toMatch(/idle for 200 ms/);
  });

  it('makes no more calls than it may', async () => {
    await open(
      program(`${ask} await call(); await call(); const { error } = await call();
      await post(reward, { reward: error.code === 'session.call_limit' ? 1 : 0 });`),
    );
    const { success, turns, windows } = await player.play(episode());
    expect([success, turns.length, windows?.length]).toEqual([true, 2, 2]);
  });

  it('is ended when the run stops', async () => {
    await open(program('setInterval(() => {}, 1000);'));
    const stop = new AbortController();
    const playing = player.play(episode({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect((await playing).stopReason).toBe('cancelled');
  });
});

describe('programs from outside', () => {
  const post = async (path: string, body: unknown = {}) => {
    const response = await fetch(player.url + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: await readBody(response) };
  };

  it('get the rollouts that wait, each its own, and none when none waits', async () => {
    await open({ port: await freePort() });
    const early = await post('/sessions');
    expect([early.status, early.body.error.code]).toEqual([503, 'session.none_wanted']);
    const playing = [0, 1].map((index) => player.play(episode({}, index)));
    for (const index of [0, 1]) {
      const { body } = await post('/sessions');
      expect(body.task).toMatchObject({ seed: 77, group: 1, index, split: 'train' });
      await fetch(`${body.base_url}/chat/completions`, {
        method: 'POST',
        body: '{"messages":[{"role":"user","content":"x"}]}',
      });
      await fetch(body.reward_url, { method: 'POST', body: `{"reward":${index}}` });
    }
    const played = await Promise.all(playing);
    expect(played.map(({ success, index }) => [index, success])).toEqual([
      [0, false],
      [1, true],
    ]);
    const without = await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] });
    expect([without.status, without.body.error.code]).toEqual([400, 'session.required']);
  });
});

interface Body {
  readonly error: { readonly code: string };
  readonly task: object;
  readonly base_url: string;
  readonly reward_url: string;
}

const readBody = async (response: Response): Promise<Body> => (await response.json()) as Body;

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the environment', () => {
  it.each([
    [{ port: 1, folder: 'x' }, /command/],
    [{ command: [] }, /command/],
  ])('refuses %j', (given, field) => {
    const parsed = agentProgram.params.safeParse(given);
    expect(parsed.error?.issues.map(({ path }) => path.join('.')).join()).toMatch(field);
  });

  it('says that it cannot be played turn by turn', () => {
    const params = agentProgram.params.parse({ command: ['x'] });
    expect(() => agentProgram.create(params)).toThrow(/played by a program/);
  });
});
