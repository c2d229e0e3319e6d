import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTinyEndpoint, type TinyEndpoint } from './open-tiny-endpoint.js';

let endpoint: TinyEndpoint;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  endpoint = await openTinyEndpoint();
  openai = new OpenAI({ baseURL: `${endpoint.url}/v1`, apiKey: 'none', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: endpoint.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => endpoint.close());

const user = [{ role: 'user' as const, content: 'Phoenix or Dragon?' }];
const fixed = { model: 'any', seed: 3, temperature: 1, max_tokens: 12 };

/** vLLM's fields, which the client passes through. */
interface TokenIds {
  readonly prompt_token_ids: number[];
}

describe('a conversation that is given as ids', () => {
  const ask = async (body: object): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await fetch(`${endpoint.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...fixed, return_token_ids: true, ...body }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('is continued behind the very ids, as the chat template writes the next message', async () => {
    const { tokenizer } = endpoint;
    const start = tokenizer.renderMessages(user, { generation: true });
    // cut off in the middle: the template closes the reply
    const before = [...tokenizer.encode(`${start}Dragon`)];
    const { body } = await ask({
      continue_token_ids: before,
      messages: [
        { role: 'user', content: 'Once more.' },
        { role: 'assistant', content: '<think>' },
      ],
      continue_final_message: true,
    });
    const ids = body['prompt_token_ids'] as number[];
    expect(ids.slice(0, before.length)).toEqual(before);
    const whole = tokenizer.renderMessages(
      [...user, { role: 'assistant', content: 'Dragon' }, { role: 'user', content: 'Once more.' }],
      { generation: true },
    );
    expect(tokenizer.decode(ids)).toBe(`${whole}<think>`);
  });

  it('is replied to at once where no message follows', async () => {
    const { tokenizer } = endpoint;
    const before = [...tokenizer.encode(tokenizer.renderMessages(user, { generation: true }))];
    const { body } = await ask({ continue_token_ids: before, messages: [] });
    const plain = await ask({ messages: user });
    expect(body['prompt_token_ids']).toEqual(before);
    expect(body['choices']).toEqual(plain.body['choices']);
  });

  it.each([
    [{ continue_token_ids: [1, 99_999_999], messages: [] }, 'continue_token_ids: expected ids below'],
    [{ continue_token_ids: [], messages: [] }, 'at least one'],
    [{ messages: [] }, 'messages: expected at least one message'],
    [
      { continue_token_ids: [1], messages: [{ role: 'system', content: 'x' }] },
      'goes one message of the user',
    ],
    [{ continue_token_ids: [1], messages: [...user, ...user] }, 'goes one message of the user'],
  ])('is refused where it cannot be continued: %j', async (body, finding) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(finding);
  });
});

describe('/v1/chat/completions with the official client', () => {
  it('answers with the tokens that the engine samples, their log-probabilities and their number', async () => {
    const answer = await openai.chat.completions.create({
      ...fixed,
      messages: user,
      logprobs: true,
      // @ts-expect-error a field of vLLM
      return_token_ids: true,
    });
    const prompt = endpoint.tokenizer.encode(endpoint.tokenizer.renderMessages(user, { generation: true }));
    const { prompt_token_ids: ids } = answer as unknown as TokenIds;
    expect(ids).toEqual([...prompt]);
    const direct = await endpoint.engine.policy.sample({
      sequence: 'direct',
      tokens: prompt,
      params: {
        temperature: 1,
        topP: 1,
        topK: 0,
        maxTokens: 12,
        stopTokens: endpoint.tokenizer.stopTokens,
        stopSequences: [],
      },
      seed: 3,
    });
    const [choice] = answer.choices;
    expect((choice as unknown as { token_ids: number[] }).token_ids).toEqual([...direct.tokens]);
    expect(choice?.logprobs?.content?.map(({ logprob }) => logprob)).toEqual([...direct.logprobs]);
    expect(answer.usage).toEqual({
      prompt_tokens: prompt.length,
      completion_tokens: direct.tokens.length,
      total_tokens: prompt.length + direct.tokens.length,
    });
    expect(answer.model).toBe('tiny');
    expect(choice?.message.content).toBe(
      endpoint.tokenizer.decode(direct.tokens.filter((id) => !endpoint.tokenizer.stopTokens.includes(id))),
    );
  });

  it('streams the same text in pieces, and the usage at the end', async () => {
    const whole = await openai.chat.completions.create({ ...fixed, max_tokens: 40, messages: user });
    const stream = await openai.chat.completions.create({
      ...fixed,
      max_tokens: 40,
      messages: user,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let pieces = 0;
    let finish: string | null | undefined;
    let usage: unknown;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      text += choice?.delta.content ?? '';
      pieces += Number((choice?.delta.content ?? '') !== '');
      finish ??= choice?.finish_reason;
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(pieces).toBeGreaterThan(3);
    expect(finish).toBe(whole.choices[0]?.finish_reason);
    expect(usage).toEqual(whole.usage);
  });

  it('ends a reply before a stop text, also where it lies across tokens', async () => {
    const whole = await openai.chat.completions.create({ ...fixed, max_tokens: 40, messages: user });
    const text = whole.choices[0]?.message.content ?? '';
    const stop = text.slice(7, 12);
    for (const stream of [false, true]) {
      const cut = await openai.chat.completions.create({
        ...fixed,
        max_tokens: 40,
        messages: user,
        stop,
        stream,
      });
      const shown = 'choices' in cut ? cut.choices[0]?.message.content : await readAll(cut);
      expect(shown).toBe(text.slice(0, text.indexOf(stop)));
    }
  });

  it('gives several replies, each from draws of its own', async () => {
    const { choices } = await openai.chat.completions.create({ ...fixed, n: 3, messages: user });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(3);
  });

  it.each([
    [{ messages: [] }, /messages/],
    [{ messages: user, temperature: -1 }, /temperature/],
    [{ messages: user, top_logprobs: 5 }, /top_logprobs/],
    [{ messages: user, max_tokenz: 5 }, /max_tokenz: there is no such field; did you mean max_tokens/],
    [{ messages: user, frequency_penalty: 1 }, /frequency_penalty/],
    [{ messages: user, response_format: { type: 'json_object' } }, /response_format/],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      /reads text only/,
    ],
  ])('refuses %j and names the field', async (body, finding) => {
    const asked = openai.chat.completions.create({ model: 'tiny', ...body } as never);
    await expect(asked).rejects.toThrow(finding);
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: 'endpoint.invalid_request',
      type: 'invalid_request_error',
    });
  });

  it('refuses a conversation that fills the context', async () => {
    const asked = openai.chat.completions.create({
      model: 'tiny',
      messages: [{ role: 'user', content: 'a b '.repeat(2000) }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'endpoint.prompt_too_long' });
  });
});

async function readAll(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

describe('/v1/completions', () => {
  it('continues text and tokens alike, with their log-probabilities', async () => {
    const prompt = 'State: Phoenix';
    const ask = (given: string | number[]) =>
      openai.completions.create({ model: 'tiny', prompt: given, seed: 5, max_tokens: 8, logprobs: 1 });
    const byText = await ask(prompt);
    const byTokens = await ask([...endpoint.tokenizer.encode(prompt)]);
    expect(byTokens.choices).toEqual(byText.choices);
    const { text, logprobs } = byText.choices[0]!;
    expect(logprobs?.token_logprobs).toHaveLength(byText.usage?.completion_tokens ?? -1);
    expect(logprobs?.tokens?.join('').startsWith(text)).toBe(true);
  });
});

describe('/v1/models', () => {
  it('names the one model', async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(['tiny']);
    expect((await openai.models.retrieve('tiny')).id).toBe('tiny');
  });
});

describe('/v1/messages with the official client', () => {
  it('answers, and streams the same', async () => {
    const request = { model: 'tiny', max_tokens: 20, temperature: 0, system: 'Be brief.', messages: user };
    const whole = await anthropic.messages.create(request);
    const streamed = await anthropic.messages.stream(request).finalMessage();
    expect(whole.content[0]).toMatchObject({ type: 'text' });
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe(whole.stop_reason);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(whole.usage.output_tokens).toBeGreaterThan(0);
  });

  it('writes errors in its own form', async () => {
    const asked = anthropic.messages.create({ model: 'tiny', messages: user } as never);
    await expect(asked).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error' } },
    });
  });
});

describe('/v1/responses with the official client', () => {
  it('answers, streams the same, and continues an answer', async () => {
    const request = { model: 'tiny', input: 'Phoenix?', temperature: 0, max_output_tokens: 20 };
    const whole = await openai.responses.create(request);
    expect(whole.output_text.length).toBeGreaterThan(0);
    let text = '';
    for await (const event of await openai.responses.create({ ...request, stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.completed' || event.type === 'response.incomplete')
        expect(event.response.output).toMatchObject([{ content: [{ text: whole.output_text }] }]);
    }
    expect(text).toBe(whole.output_text);
    const next = await openai.responses.create({
      ...request,
      input: 'And now?',
      previous_response_id: whole.id,
    });
    const conversation = [
      { role: 'user', content: 'Phoenix?' },
      { role: 'assistant', content: whole.output_text },
      { role: 'user', content: 'And now?' },
    ];
    const prompt = endpoint.tokenizer.encode(
      endpoint.tokenizer.renderMessages(conversation, { generation: true }),
    );
    expect(next.usage?.input_tokens).toBe(prompt.length);
  });

  it('refuses to continue an answer that it does not know', async () => {
    const asked = openai.responses.create({ model: 'tiny', input: 'x', previous_response_id: 'resp_none' });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });
});

describe('the endpoint', () => {
  it('names its routes where it has none, in the form of OpenAI', async () => {
    const answer = await fetch(`${endpoint.url}/v1/embeddings`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { code: 'endpoint.not_found', type: 'not_found_error' },
    });
  });

  it('refuses bodies that are not JSON, and pages of other origins', async () => {
    const url = `${endpoint.url}/v1/chat/completions`;
    const broken = await fetch(url, { method: 'POST', body: '{' });
    expect(broken.status).toBe(400);
    const foreign = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { origin: 'https://example.com' },
    });
    expect(foreign.status).toBe(401);
  });

  it('refuses bodies beyond 32 MiB', async () => {
    const body = Buffer.alloc(32 * 2 ** 20 + 1, 32);
    const answer = await fetch(`${endpoint.url}/v1/completions`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ error: { code: 'endpoint.too_large' } });
  });

  it('needs the key that it was given, with or without a session behind it', async () => {
    const closed = await openTinyEndpoint({ apiKey: 'secret' });
    const ask = (apiKey: string) =>
      new OpenAI({ baseURL: `${closed.url}/v1`, apiKey, maxRetries: 0 }).chat.completions.create({
        ...fixed,
        messages: user,
      });
    await expect(ask('other')).rejects.toMatchObject({ status: 401, code: 'endpoint.unauthorized' });
    await ask('secret');
    await ask('secret/mine');
    expect(closed.sessions.list().map(({ id }) => id)).toEqual(['mine']);
    await closed.close();
    await expect(openTinyEndpoint({ host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'endpoint.unauthorized',
    });
  });

  it('says what failed when the engine does', async () => {
    const broken = await openTinyEndpoint({
      answering: {
        policy: { sample: () => Promise.reject(new Error('out of order')), release: () => undefined },
        tokenizer: endpoint.tokenizer,
        contextLength: 100,
        variables: {},
      },
    });
    const client = new OpenAI({ baseURL: `${broken.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const asked = client.chat.completions.create({ ...fixed, messages: user });
    await expect(asked).rejects.toMatchObject({ status: 500, code: 'endpoint.failed', type: 'api_error' });
    await expect(asked).rejects.toThrow('out of order');
    await broken.close();
  });

  it('says that its port is taken', async () => {
    const port = Number(new URL(endpoint.url).port);
    await expect(openTinyEndpoint({ port })).rejects.toMatchObject({ code: 'endpoint.unusable_address' });
  });
});
