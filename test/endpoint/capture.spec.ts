import type { Trajectory } from '@espalier/contracts';
import { decodeTrajectory } from '@espalier/recorder';
import { cutWindows } from '@espalier/rollout';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTinyEndpoint, type TinyEndpoint } from './open-tiny-endpoint.js';

let endpoint: TinyEndpoint;
beforeAll(async () => {
  endpoint = await openTinyEndpoint({ maxSessions: 8 });
});
afterAll(() => endpoint.close());

interface Message {
  readonly role: string;
  readonly content: string;
}

interface Answer {
  readonly message: Message;
  readonly prompt: number[];
  readonly ids: number[];
  readonly logprobs: number[];
}

interface Body {
  readonly id: string;
  readonly state: string;
  readonly task: { readonly seed: number };
  readonly error: { readonly code: string; readonly param: string };
  readonly prompt_token_ids: number[];
  readonly choice?: number;
  readonly reward?: number;
  readonly choices: {
    readonly message: Message;
    readonly logprobs: { readonly content: { readonly logprob: number }[] };
    readonly prompt_token_ids: number[];
    readonly token_ids: number[];
  }[];
}

const readBody = async (response: Response): Promise<Body> => (await response.json()) as Body;

async function call(
  session: string,
  messages: readonly Message[],
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${endpoint.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-session-id': session, ...headers },
    body: JSON.stringify({ messages, max_tokens: 9, logprobs: true, return_token_ids: true }),
  });
  const body = await readBody(response);
  if (!response.ok) throw new Error(`${response.status} ${body.error.code}`);
  const { message, logprobs, token_ids: ids } = body.choices[0]!;
  const { role, content } = message;
  return {
    message: { role, content },
    prompt: body.prompt_token_ids,
    ids,
    logprobs: logprobs.content.map((one) => one.logprob),
  };
}

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(endpoint.url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await readBody(response) };
}

async function finish(session: string): Promise<Trajectory> {
  expect((await post(`/sessions/${session}/reward`, { reward: 0.5 })).status).toBe(200);
  const stored = await fetch(`${endpoint.url}/sessions/${session}/trajectory`);
  return decodeTrajectory(await stored.text());
}

const user = (content: string): Message => ({ role: 'user', content });

/** Sampled tokens of each turn, and their log-probabilities. */
const sampledOf = ({ tokens, logprobs, turns }: Trajectory) =>
  turns.map(({ sampled: { start, end } }) => ({
    ids: [...tokens.subarray(start, end)],
    logprobs: [...logprobs.subarray(start, end)],
  }));

const pickSampled = ({ ids, logprobs }: Answer) => ({ ids, logprobs });

/** What training would compute for the sampled tokens: their log-probabilities in their windows. */
async function scoreAgain(trajectory: Trajectory): Promise<number[]> {
  const positions = Int32Array.from(
    trajectory.spans
      .filter(({ kind }) => kind === 'think' || kind === 'answer' || kind === 'control')
      .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
  ).sort();
  const parts = cutWindows(trajectory, positions);
  const scores = await endpoint.engine.policy.score(
    parts.map(({ tokens, positions: own }) => ({ tokens, positions: own })),
  );
  return scores.flatMap(({ logprobs }) => [...logprobs]);
}

describe('a session', () => {
  it('keeps the ids that were sampled, whatever the text of a reply encodes to', async () => {
    const first = await call('grows', [user('one')]);
    const second = await call('grows', [user('one'), first.message, user('two')]);
    const third = await call('grows', [
      user('one'),
      first.message,
      user('two'),
      second.message,
      user('three'),
    ]);
    // an untrained model writes what the tokenizer would cut otherwise
    const text = endpoint.tokenizer.decode(first.ids);
    expect([...endpoint.tokenizer.encode(text)]).not.toEqual(first.ids);
    expect(second.prompt.slice(0, first.prompt.length + first.ids.length)).toEqual([
      ...first.prompt,
      ...first.ids,
    ]);
    const trajectory = await finish('grows');
    expect(sampledOf(trajectory)).toEqual([first, second, third].map(pickSampled));
    expect(trajectory.windows).toBeUndefined();
    expect([...trajectory.tokens]).toEqual([...third.prompt, ...third.ids]);
    expect(trajectory.turns.map(({ observation }) => observation)).toEqual(['one', 'two', 'three']);
    expect(trajectory.turns.map(({ reward }) => reward)).toEqual([0, 0, 0.5]);
    expect(trajectory.success).toBe(true);
  });

  it('marks what was said as observation, markup as template, and covers every token once', async () => {
    const first = await call('spans', [
      { role: 'system', content: 'Always output:' },
      user('Phoenix Dragon'),
    ]);
    await call('spans', [
      { role: 'system', content: 'Always output:' },
      user('Phoenix Dragon'),
      first.message,
      user('State:'),
    ]);
    const { tokens, spans } = await finish('spans');
    const covered = spans.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, at) => start + at),
    );
    expect(covered).toEqual(Array.from(tokens, (_, at) => at));
    const said = spans
      .filter(({ kind }) => kind === 'observation')
      .map(({ start, end }) => endpoint.tokenizer.decode(tokens.subarray(start, end)));
    expect(said.map((text) => text.trim())).toEqual(['Phoenix Dragon', 'State:']);
  });

  it('makes branches a tree in which each sampled token counts once', async () => {
    const root = await call('branches', [user('one')]);
    const left = await call('branches', [user('one'), root.message, user('left')]);
    const right = await call('branches', [user('one'), root.message, user('right')]);
    const deeper = await call('branches', [
      user('one'),
      root.message,
      user('left'),
      left.message,
      user('on'),
    ]);
    const trajectory = await finish('branches');
    // the path of the first branch, then the other one
    expect(sampledOf(trajectory)).toEqual([root, left, deeper, right].map(pickSampled));
    expect(trajectory.windows).toEqual([
      { start: 0, firstTurn: 0 },
      { start: deeper.prompt.length + deeper.ids.length, firstTurn: 0 },
    ]);
    const again = await scoreAgain(trajectory);
    const asSampled = [root, left, deeper, right].flatMap(({ logprobs }) => logprobs);
    expect(again).toHaveLength(asSampled.length);
    again.forEach((logprob, at) => expect(logprob).toBeCloseTo(asSampled[at]!, 4));
  });

  it('begins a window where history was rewritten', async () => {
    const first = await call('rewritten', [user('one')]);
    const second = await call('rewritten', [
      user('one'),
      { role: 'assistant', content: 'summary' },
      user('two'),
    ]);
    const trajectory = await finish('rewritten');
    expect(trajectory.windows).toEqual([
      { start: 0, firstTurn: 0 },
      { start: first.prompt.length + first.ids.length, firstTurn: 1 },
    ]);
    expect(sampledOf(trajectory)).toEqual([first, second].map(pickSampled));
  });

  it('leaves out a reply that a client asked for again', async () => {
    const lost = await call('retried', [user('one')]);
    const kept = await call('retried', [user('one')], { 'x-stainless-retry-count': '1' });
    expect(kept.ids).not.toEqual(lost.ids);
    expect(sampledOf(await finish('retried'))).toEqual([pickSampled(kept)]);
  });

  it('leaves out a reply whose client went away, and stops sampling it', async () => {
    const gone = new AbortController();
    const asked = fetch(`${endpoint.url}/sessions/left/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [user('one')], max_tokens: 900, stream: true }),
      signal: gone.signal,
    });
    const reader = (await asked).body!.getReader();
    await reader.read();
    gone.abort();
    await expect.poll(() => endpoint.sessions.get('left').idleMs).toBeGreaterThan(0);
    const kept = await call('left', [user('two')]);
    expect(sampledOf(await finish('left'))).toEqual([pickSampled(kept)]);
  });

  it('takes text and tokens of /v1/completions as well', async () => {
    const first = await post('/sessions/plain/v1/completions', {
      prompt: 'State: ',
      max_tokens: 5,
      return_token_ids: true,
    });
    const { prompt_token_ids: prompt, token_ids: ids } = first.body.choices[0]!;
    await post('/sessions/plain/v1/completions', { prompt: [...prompt, ...ids, 7], max_tokens: 5 });
    const trajectory = await finish('plain');
    expect(trajectory.windows).toBeUndefined();
    expect(trajectory.turns).toHaveLength(2);
  });
});

describe('sessions', () => {
  it('take one reward, and no call after it', async () => {
    await call('once', [user('one')]);
    expect((await post('/sessions/once/reward', { reward: 1 })).status).toBe(200);
    const second = await post('/sessions/once/reward', { reward: 0 });
    expect([second.status, second.body.error.code]).toEqual([409, 'session.already_rewarded']);
    await expect(call('once', [user('two')])).rejects.toThrow('410 session.ended');
    const { turns } = decodeTrajectory(
      await (await fetch(`${endpoint.url}/sessions/once/trajectory`)).text(),
    );
    expect(turns.at(-1)?.reward).toBe(1);
  });

  it('take a reward of each reply, which is that of its turn, beside the one at the end', async () => {
    const at = '/sessions/turns/v1/chat/completions';
    const first = await post(at, { messages: [user('one')], max_tokens: 4 });
    const ask = { messages: [user('one'), first.body.choices[0]!.message, user('two')], max_tokens: 4 };
    await post(at, ask);
    const reward = (call: string, body: object) => post(`/sessions/turns/calls/${call}/reward`, body);
    expect(await reward('last', { reward: 0.25, metrics: { hits: 2 } })).toMatchObject({
      status: 200,
      body: { choice: 0, reward: 0.25 },
    });
    expect((await reward(first.body.id, { reward: -1 })).status).toBe(200);
    expect((await reward(first.body.id, { reward: 2 })).body.error.code).toBe('session.already_rewarded');
    for (const [call, body] of [
      ['chatcmpl-0', { reward: 1 }],
      [first.body.id, { reward: 1, choice: 1 }],
    ] as const)
      expect((await reward(call, body)).body.error.code).toBe('session.call_not_found');
    expect((await reward('last', { reward: null })).body.error.param).toBe('reward');
    expect((await post('/sessions/turns/calls/last', {})).body.error.code).toBe('endpoint.not_found');
    const { turns, success } = await finish('turns');
    // 0.5 comes at the end, and goes to the last turn
    expect(turns.map((turn) => turn.reward)).toEqual([-1, 0.75]);
    expect(turns[1]?.actions[0]).toMatchObject({ reward: 0.75, metrics: { hits: 2 } });
    // by default it succeeds where the sum is above 0
    expect(success).toBe(false);
    expect((await reward('last', { reward: 1 })).body.error.code).toBe('session.ended');
  });

  it('refuse a reward without a call, one that is no number, and a trajectory before the end', async () => {
    const { body } = await post('/sessions', { seed: 4 });
    expect(body.task.seed).toBe(4);
    expect((await post(`/sessions/${body.id}/reward`, { reward: 1 })).body.error.code).toBe(
      'session.no_calls',
    );
    expect((await post(`/sessions/${body.id}/reward`, { reward: 'much' })).body.error.param).toBe('reward');
    const early = await fetch(`${endpoint.url}/sessions/${body.id}/trajectory`);
    expect((await readBody(early)).error.code).toBe('session.not_ended');
    const ended = await fetch(`${endpoint.url}/sessions/${body.id}`, { method: 'DELETE' });
    expect((await readBody(ended)).state).toBe('error');
  });

  it('are refused beyond the capacity, and names that are none', async () => {
    const ids = [];
    for (let at = 0; at < 8; at += 1) ids.push((await post('/sessions', {})).body.id);
    const refused = await post('/sessions', {});
    expect([refused.status, refused.body.error.code]).toEqual([429, 'session.at_capacity']);
    for (const id of ids) await fetch(`${endpoint.url}/sessions/${id}`, { method: 'DELETE' });
    expect((await post('/sessions', { id: 'a b' })).body.error.code).toBe('endpoint.invalid_request');
    expect((await post('/sessions/nobody/reward', { reward: 1 })).body.error.code).toBe('session.not_found');
  });

  it('are ended when they are idle', async () => {
    const short = await openTinyEndpoint({ idleTimeoutMs: 200 });
    const opened = await fetch(`${short.url}/sessions`, { method: 'POST', body: '{"id":"idle"}' });
    expect(opened.status).toBe(201);
    const session = short.sessions.get('idle');
    expect((await session.ended).error).toMatch(/idle for 200 ms/);
    expect(session.state).toBe('timeout');
    const late = await fetch(`${short.url}/sessions/idle/reward`, { method: 'POST', body: '{"reward":1}' });
    expect([late.status, (await readBody(late)).error.code]).toEqual([410, 'session.ended']);
    await short.close();
  });
});
