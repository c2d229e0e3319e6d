/** What a server of the Tinker API refuses, and what it keeps in order; over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodePass, protobufType } from '../wire/protobuf.js';
import { startTinyServer } from '../testing/tiny-server.js';
import { createEngineServer, type EngineServer } from './engine-server.js';

let server: EngineServer;
beforeAll(async () => {
  server = await startTinyServer({ maxModels: 2, maxBodyBytes: 20_000 });
});
afterAll(() => server.close());

interface Told {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function post(
  path: string,
  body: unknown,
  url = server.url,
  headers: Record<string, string> = {},
): Promise<Told> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Told['body'] };
}

async function result(told: Told, url = server.url): Promise<Told['body']> {
  for (;;) {
    const { status, body } = await post('retrieve_future', { request_id: told.body['request_id'] }, url);
    if (status !== 408) return body;
  }
}

async function openModel(
  more: object = {},
  url = server.url,
): Promise<{ readonly session: string; readonly model: string }> {
  const session = String((await post('create_session', { tags: [], ...more }, url)).body['session_id']);
  const request = { session_id: session, model_seq_id: 0, base_model: 'tiny' };
  const created = await post('create_model', request, url);
  return { session, model: String((await result(created, url))['model_id']) };
}

async function sendBinary(body: Uint8Array): Promise<Told> {
  const sent = await fetch(`${server.url}/api/v1/forward_backward`, {
    method: 'POST',
    headers: { 'content-type': protobufType },
    body: Buffer.from(body),
  });
  return { status: sent.status, body: (await sent.json()) as Told['body'] };
}

const unload = (model: string) => post('unload_model', { model_id: model }).then(result);

const datum = (tokens: number[], more: object = {}) => ({
  model_input: { chunks: [{ tokens: tokens.slice(0, -1) }] },
  loss_fn_inputs: { target_tokens: { data: tokens.slice(1) }, ...more },
});
const pass = (model: string, input: object, more: object = {}) => ({
  model_id: model,
  forward_backward_input: { data: [datum([1, 2, 3])], loss_fn: 'cross_entropy', ...input },
  ...more,
});

describe('an engine server', () => {
  it('refuses what it cannot do, and says what it can', async () => {
    const { model } = await openModel();
    const refusals: [object, RegExp][] = [
      [{ loss_fn: 'dro' }, /knows cross_entropy, importance_sampling, ppo, cispo/],
      [{ loss_fn: 'ppo', loss_fn_config: { clip_low: 1 } }, /no option clip_low, but clip_low_threshold/],
      [
        { loss_fn: 'ppo', loss_fn_config: { clip_low_threshold: 2, clip_high_threshold: 1 } },
        /0 ≤ low ≤ high/,
      ],
      [{ loss_fn: 'importance_sampling' }, /needs logprobs/],
      [{ data: [datum([1, 2, 3], { weights: { data: [1] } })] }, /1 weights for 2 tokens/],
      [{ data: [datum([1, 2, 99])] }, /token 99/],
      [
        {
          data: [
            {
              model_input: { chunks: [{ tokens: [1, 2] }] },
              loss_fn_inputs: { target_tokens: { data: [5, 3] } },
            },
          ],
        },
        /shifted by one/,
      ],
    ];
    for (const [input, message] of refusals)
      expect(await result(await post('forward_backward', pass(model, input)))).toMatchObject({
        error: expect.stringMatching(message) as string,
        category: 'user',
      });
    expect((await post('optim_step', { model_id: model, adam_params: { beta1: 2 } })).status).toBe(400);
    const stopped = await post('asample', {
      base_model: 'tiny',
      prompt: { chunks: [{ tokens: [1] }] },
      sampling_params: {},
      topk_prompt_logprobs: 3,
    });
    expect(stopped).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/topk_prompt_logprobs/) as string },
    });
    await unload(model);
  });

  it('answers what it does not know with 404, and what it cannot read with 4xx', async () => {
    for (const [path, body] of [
      ['no_such_route', {}],
      ['create_model', { session_id: 'x', model_seq_id: 0, base_model: 'large' }],
      ['optim_step', { model_id: 'gone', adam_params: {} }],
      ['retrieve_future', { request_id: 'gone' }],
      ['session_heartbeat', { session_id: 'gone' }],
      ['toString', {}],
    ] as const)
      expect((await post(path, body)).status, path).toBe(404);
    expect((await post('create_session', '{')).status).toBe(422);
    expect((await post('create_session', { padding: 'x'.repeat(30_000) })).status).toBe(413);
    expect(
      (await post('forward_backward', '\u0012\u00ff', server.url, { 'content-type': protobufType })).status,
    ).toBe(422);
    expect((await post('asample', { prompt: {} })).body['detail']).toMatch(/prompt/);
  });

  it('runs numbered requests in their order, and each once', async () => {
    const { model } = await openModel();
    const step = (seq_id: number) =>
      post('optim_step', { model_id: model, seq_id, adam_params: { learning_rate: 0.01 } });
    const third = await step(3);
    const learned = await post('forward_backward', pass(model, {}, { seq_id: 1 }));
    const second = await step(2);
    const again = await step(2);
    expect(again.body['request_id']).toBe(second.body['request_id']);
    await result(learned);
    const norm = async (told: Told) =>
      ((await result(told))['metrics'] as Record<string, number>)['grad_norm:mean'];
    expect(await norm(second)).toBeGreaterThan(0);
    expect(await norm(third)).toBe(0);
    await unload(model);
  });

  it('fails a numbered request whose predecessor never comes', async () => {
    const brief = await startTinyServer({ orderMs: 50 });
    const { model } = await openModel({}, brief.url);
    const step = { model_id: model, seq_id: 2, adam_params: { learning_rate: 0.01 } };
    expect(await result(await post('optim_step', step, brief.url), brief.url)).toMatchObject({
      error: expect.stringMatching(/request 2 came, and 1/) as string,
    });
    await brief.close();
  });

  it('lets nobody wait for a request that it has refused', async () => {
    const { model } = await openModel();
    const step = (seq_id: number, more: object = {}) =>
      post('optim_step', { model_id: model, seq_id, adam_params: { learning_rate: 0.01, ...more } });
    const image = { data: [{ model_input: { chunks: [{ type: 'image' }] }, loss_fn_inputs: {} }] };
    const binary = (seqId: number, datum: number[]): Promise<number> => {
      const empty = { modelId: model, seqId, data: [], lossFn: 'cross_entropy', lossConfig: {} };
      const body = Buffer.concat([encodePass({ ...empty, forwardOnly: false }), Buffer.from(datum)]);
      return sendBinary(body).then(({ status }) => status);
    };
    // before those that it refuses, as parts of a batch come, and behind them
    const third = await step(3);
    expect((await step(1, { beta1: 2 })).status).toBe(400);
    expect((await step(1, { beta1: 2 })).status).toBe(400);
    expect((await post('forward_backward', pass(model, image, { seq_id: 2 }))).status).toBe(400);
    expect(await result(third)).toMatchObject({ type: 'optim_step' });
    expect(await binary(5, [0x1a, 4, 0x0a, 2, 0x12, 0])).toBe(400); // a datum with an image
    expect(await binary(4, [0x1a, 9, 0x0a])).toBe(422); // a datum that is cut short
    expect((await post('save_weights', { model_id: model, seq_id: 6, path: 7 })).status).toBe(400);
    expect(await result(await step(7))).toMatchObject({ type: 'optim_step' });
    // of a model that is not there, and with numbers that are none
    expect((await post('optim_step', { model_id: 'gone', seq_id: 1 })).status).toBe(400);
    expect((await post('optim_step', { model_id: model, seq_id: 'x' })).status).toBe(400);
    await unload(model);
  });

  it('runs a request that is sent again under the number of one that it has refused', async () => {
    const { model } = await openModel();
    const step = (seq_id: number, learning_rate: number) =>
      post('optim_step', { model_id: model, seq_id, adam_params: { learning_rate } });
    expect((await step(2, -1)).status).toBe(400);
    const second = await step(2, 0.01);
    expect(await result(await step(1, 0.01))).toMatchObject({ type: 'optim_step' });
    expect(await result(second)).toMatchObject({ type: 'optim_step' });
    expect((await step(3, -1)).status).toBe(400);
    expect(await result(await step(3, 0.01))).toMatchObject({ type: 'optim_step' });
    expect(await result(await step(4, 0.01))).toMatchObject({ type: 'optim_step' });
    await unload(model);
  });

  it('holds so many models and no more, and frees those of a run that starts again', async () => {
    const owner = { user_metadata: { espalier_owner: 'host:run' } };
    const first = await openModel(owner);
    const other = await openModel();
    const full = await post('create_model', {
      session_id: other.session,
      model_seq_id: 1,
      base_model: 'tiny',
    });
    expect(full).toMatchObject({ status: 503, body: { code: 'engine.capacity' } });
    const again = await openModel(owner);
    expect((await post('get_info', { model_id: first.model })).status).toBe(404);
    await unload(again.model);
    await unload(other.model);
  });

  it('ends sessions that send no heartbeat', async () => {
    const brief = await startTinyServer({ sessionMs: 50 });
    const { body } = await post('create_session', { tags: [] }, brief.url);
    await expect
      .poll(async () => (await post('session_heartbeat', body, brief.url)).status, { interval: 300 })
      .toBe(404);
    await brief.close();
  });

  it('wants its key, which it compares whole', async () => {
    const locked = await startTinyServer({ apiKey: 'tml-secret' });
    for (const [key, status] of [
      ['tml-secret', 200],
      ['tml-secre', 401],
      ['', 401],
    ] as const)
      expect((await post('create_session', { tags: [] }, locked.url, { 'x-api-key': key })).status).toBe(
        status,
      );
    expect((await fetch(`${locked.url}/api/v1/healthz`)).status).toBe(200);
    await locked.close();
  });

  it('says so when its address is taken', async () => {
    const port = Number(new URL(server.url).port);
    const taken = createEngineServer({ models: [], folder: '/tmp', port });
    await expect(taken).rejects.toMatchObject({ code: 'engine.address_in_use' });
  });

  it('reads the binary form and answers in it where it is asked for', async () => {
    const { model } = await openModel();
    const data = [
      {
        tokens: Int32Array.of(1, 2),
        inputs: { target_tokens: { dtype: 'int64' as const, data: Int32Array.of(2, 3) } },
      },
    ];
    const body = encodePass({
      modelId: model,
      seqId: 1,
      data,
      lossFn: 'cross_entropy',
      lossConfig: {},
      forwardOnly: true,
    });
    const told = await sendBinary(body);
    expect(await result(told)).toMatchObject({ loss_fn_outputs: [{ logprobs: { shape: [2] } }] });
    const binary = await fetch(`${server.url}/api/v1/retrieve_future`, {
      method: 'POST',
      headers: { accept: protobufType },
      body: JSON.stringify({ request_id: told.body['request_id'] }),
    });
    expect(binary.headers.get('content-type')).toBe(protobufType);
    await unload(model);
  });
});
