import { Agent, request } from 'node:http';
import type { Trajectory } from '@espalier/contracts';
import { decodeTrajectory } from '@espalier/recorder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { openTinyEndpoint, type TinyEndpoint } from './open-tiny-endpoint.js';

const count = isLong ? 500 : 40;
const sockets = new Agent({ keepAlive: true, maxSockets: count });
let endpoint: TinyEndpoint;
beforeAll(async () => {
  endpoint = await openTinyEndpoint();
});
afterAll(async () => {
  sockets.destroy();
  await endpoint.close();
});

/** On sockets of its own: `fetch` shares few. */
function send(method: string, path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(endpoint.url + path, { method, agent: sockets }, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      if (response.statusCode === 200)
        resolve(path.endsWith('trajectory') ? decodeTrajectory(text) : JSON.parse(text));
      else reject(new Error(`${response.statusCode} ${text}`));
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Answer {
  readonly prompt_token_ids: number[];
  readonly choices: {
    readonly message: { readonly role: string; readonly content: string };
    readonly token_ids: number[];
    readonly logprobs: { readonly content: { readonly logprob: number }[] };
  }[];
}

interface Got {
  readonly prompt: number[];
  readonly ids: number[];
  readonly logprobs: number[];
}

/** Three calls, of which the last two branch from the first. */
async function play(name: string) {
  const messages: { role: string; content: string }[] = [{ role: 'user', content: `State: ${name}` }];
  const got: Got[] = [];
  const call = async (more: typeof messages): Promise<{ role: string; content: string }> => {
    const body = { messages: more, max_tokens: 8, logprobs: true, return_token_ids: true };
    const { choices, prompt_token_ids: prompt } = (await send(
      'POST',
      `/sessions/${name}/v1/chat/completions`,
      body,
    )) as Answer;
    const { message, token_ids: ids, logprobs } = choices[0]!;
    got.push({ prompt, ids, logprobs: logprobs.content.map((one) => one.logprob) });
    return message;
  };
  const { role, content } = await call(messages);
  const first = [...messages, { role, content }];
  await call([...first, { role: 'user', content: 'left' }]);
  await call([...first, { role: 'user', content: 'right' }]);
  await send('POST', `/sessions/${name}/reward`, { reward: 1 });
  return { got, trajectory: (await send('GET', `/sessions/${name}/trajectory`)) as Trajectory };
}

it(`keeps ${count} sessions apart that run at once: each is complete, with the ids that were sampled`, async () => {
  const played = await Promise.all(Array.from({ length: count }, (_, at) => play(`s${at}`)));
  for (const { got, trajectory } of played) {
    const { tokens, logprobs, turns, windows } = trajectory;
    expect(turns).toHaveLength(3);
    turns.forEach(({ sampled: { start, end } }, at) => {
      const { prompt, ids, logprobs: own } = got[at]!;
      expect([...tokens.subarray(start, end)]).toEqual(ids);
      expect([...logprobs.subarray(start, end)]).toEqual(own);
      // what the model saw: all of its window before the reply
      const from = windows?.findLast((window) => window.start <= start)?.start ?? 0;
      expect([...tokens.subarray(from, start)]).toEqual(prompt);
    });
  }
  expect(endpoint.sessions.list()).toEqual([]);
});
