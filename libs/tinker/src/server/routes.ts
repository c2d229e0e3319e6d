/** @file The routes of the Tinker API, each a request that is read and an answer that is JSON. */
import { AppError } from '@espalier/contracts';
import type { z } from 'zod';
import type { WirePass } from '../wire/protobuf.js';
import { turnOfJson } from '../wire/turn.js';
import type { FutureTable, Result } from './future-table.js';
import type { ModelHost, SampleCall } from './model-host.js';
import * as requests from './requests.js';
import type { ServedBase } from './served-model.js';

export interface RouteContext {
  readonly host: ModelHost;
  readonly futures: FutureTable;
  readonly bases: readonly ServedBase[];
  /** changes with every start */
  readonly boot: string;
}

/** Answers a request; what it throws is a refusal. */
export type Route = (context: RouteContext, body: unknown) => unknown;

/** Reads a body. @throws engine.invalid_request */
export function readBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError(
    'engine.invalid_request',
    `read request: ${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`,
  );
}

/** A route whose refusals take the turn of what they refuse: the official SDK gives a number away once, whatever comes of it. */
function route<Body>(schema: z.ZodType<Body>, work: (context: RouteContext, body: Body) => unknown): Route {
  return (context, body) => {
    try {
      return work(context, readBody(schema, body));
    } catch (error) {
      const turn = turnOfJson(body);
      if (turn !== undefined) context.host.skip(turn);
      throw error;
    }
  };
}

const pending = (id: string, more: object = {}) => ({
  request_id: id,
  future_id: id,
  status: 'pending',
  ...more,
});
const value = (json: unknown): Result => ({ kind: 'json', value: json });

/** Names a request of a model, so that its repetition is recognised; without a number there is no telling. */
const keyOf = (modelId: string, seqId: number | undefined): string | undefined =>
  seqId === undefined ? undefined : `${modelId} ${seqId}`;

/** Enqueues a request of a model. */
function enqueue(
  { host, futures }: RouteContext,
  modelId: string,
  seqId: number | undefined,
  work: (model: ReturnType<ModelHost['model']>) => Promise<Result>,
) {
  const model = host.model(modelId);
  return pending(
    futures.add(keyOf(modelId, seqId), () => model.queue.run(seqId, () => work(model))),
    { model_id: modelId },
  );
}

/** Enqueues a pass, however it was encoded. */
export function enqueuePass(context: RouteContext, pass: WirePass) {
  return enqueue(context, pass.modelId, pass.seqId === 0 ? undefined : pass.seqId, async (model) => ({
    kind: 'pass',
    value: await context.host.pass(model, pass),
  }));
}

const passRoute = route(requests.jsonPass, (context, body) => {
  const input = body.forward_backward_input ?? body.forward_input;
  if (input === undefined) throw new AppError('engine.invalid_request', 'read request: no input');
  const forwardOnly = body.forward_backward_input === undefined;
  return enqueuePass(context, { ...input, modelId: body.model_id, seqId: body.seq_id ?? 0, forwardOnly });
});

function infoOf({ host }: RouteContext, modelId: string) {
  const { base, lora } = host.model(modelId);
  return {
    type: 'get_info',
    model_id: modelId,
    model_name: base.name,
    model_data: { arch: null, model_name: base.name, tokenizer_id: base.name },
    is_lora: lora !== undefined,
    lora_rank: lora?.rank ?? null,
  };
}

/** Routes by their path below /api/v1. */
export const postRoutes: Readonly<Record<string, Route>> = {
  'client/config': () => ({ pjwt_auth_enabled: false, custom_loss_server_side: true }),
  telemetry: () => ({ status: 'accepted' }),
  create_session: route(requests.createSession, async ({ host }, { user_metadata }) => {
    const owner = user_metadata?.['espalier_owner'];
    const session_id = await host.createSession(typeof owner === 'string' ? owner : undefined);
    return {
      type: 'create_session',
      session_id,
      info_message: null,
      warning_message: null,
      error_message: null,
    };
  }),
  session_heartbeat: route(requests.heartbeat, ({ host }, { session_id }) => {
    host.heartbeat(session_id);
    return { type: 'session_heartbeat' };
  }),
  create_model: route(requests.createModel, ({ host, futures }, body) => {
    const base = host.findBase(body.base_model);
    const work = async (): Promise<Result> => {
      const { id } = await host.createModel(body.session_id, body.model_seq_id, base, body.lora_config);
      return value({ model_id: id, type: 'create_model' });
    };
    return pending(
      futures.add(`${body.session_id} model ${body.model_seq_id}`, work, () => host.ensureRoom()),
    );
  }),
  get_info: route(requests.modelOnly, (context, { model_id }) => infoOf(context, model_id)),
  unload_model: route(requests.modelOnly, ({ host, futures }, { model_id }) => {
    host.model(model_id);
    const work = async (): Promise<Result> => {
      await host.unload(model_id);
      return value({ model_id, type: 'unload_model' });
    };
    return pending(futures.add(`${model_id} unload`, work));
  }),
  create_custom_loss: route(requests.createLoss, ({ host, futures }, body) => {
    const { session_id, custom_loss_seq_id } = body;
    const work = async (): Promise<Result> =>
      value({ loss_id: host.createLoss(session_id, custom_loss_seq_id, body), type: 'create_custom_loss' });
    return pending(futures.add(`${session_id} loss ${custom_loss_seq_id}`, work));
  }),
  forward_backward: passRoute,
  forward: passRoute,
  optim_step: route(requests.optimStep, (context, { model_id, seq_id, adam_params: adam }) =>
    enqueue(context, model_id, seq_id, (model) =>
      model.lock.write(async () => {
        const { gradientNorm, clipped } = await model.change(() =>
          model.engine.policy.optimizerStep({
            learningRate: adam.learning_rate,
            beta1: adam.beta1,
            beta2: adam.beta2,
            epsilon: adam.eps,
            weightDecay: adam.weight_decay,
            maxGradientNorm: adam.grad_clip_norm > 0 ? adam.grad_clip_norm : Infinity,
          }),
        );
        return value({
          type: 'optim_step',
          metrics: { 'grad_norm:mean': gradientNorm, 'clipped:mean': Number(clipped) },
        });
      }),
    ),
  ),
  save_weights: route(requests.saveWeights, (context, { model_id, path, seq_id, overwrite }) =>
    enqueue(context, model_id, seq_id, async (model) => {
      const name = path ?? `step-${model.engine.policy.version}-seq-${seq_id ?? 0}`;
      const saved = await context.host.save(model, 'weights', name, overwrite);
      return value({ path: saved, type: 'save_weights' });
    }),
  ),
  save_weights_for_sampler: route(requests.saveForSampler, (context, body) =>
    enqueue(context, body.model_id, body.seq_id, async (model) => {
      const { host } = context;
      if (body.path !== undefined) {
        const path = await host.save(model, 'sampler_weights', body.path);
        return value({ path, sampling_session_id: null, type: 'save_weights_for_sampler' });
      }
      const isLive = body.kind === 'inflight';
      const sampling_session_id = host.createSampler(model.sessionId, { model, isLive });
      return value({ path: null, sampling_session_id, type: 'save_weights_for_sampler' });
    }),
  ),
  load_weights: route(requests.loadWeights, (context, body) => {
    const { host, futures } = context;
    const { model_id, session_id, path, optimizer } = body;
    if (model_id !== undefined)
      return enqueue(context, model_id, body.seq_id, async (model) => {
        await host.load(model, path, optimizer);
        return value({ model_id, path, type: 'load_weights' });
      });
    if (session_id === undefined)
      throw new AppError('engine.invalid_request', 'load weights: neither model_id nor session_id');
    const work = async (): Promise<Result> => {
      const meta = host.savedMeta(path);
      const base = host.findBase(meta.base_model);
      const model = await host.createModel(session_id, body.model_seq_id ?? 0, base, meta.lora ?? undefined);
      await host.load(model, path, optimizer).catch(async (error: unknown) => {
        await host.unload(model.id);
        throw error;
      });
      return value({ model_id: model.id, path, type: 'load_weights' });
    };
    return pending(
      futures.add(`${session_id} model ${body.model_seq_id ?? ''}`, work, () => host.ensureRoom()),
    );
  }),
  weights_info: route(requests.weightsInfo, ({ host }, { tinker_path }) => {
    const { base_model, lora } = host.savedMeta(tinker_path);
    return { base_model, is_lora: lora !== null, lora_rank: lora?.rank ?? null };
  }),
  create_sampling_session: route(
    requests.createSampler,
    ({ host }, { session_id, base_model, model_path }) => {
      if ((base_model === undefined) === (model_path === undefined))
        throw new AppError(
          'engine.invalid_request',
          'create sampling session: expected one of base_model and model_path',
        );
      const from = model_path === undefined ? { base: base_model ?? '' } : { path: model_path };
      return { sampling_session_id: host.createSampler(session_id, from), type: 'create_sampling_session' };
    },
  ),
  asample: route(requests.sample, ({ host, futures }, body) => {
    const call = sampleCall(host, body);
    const key =
      body.sampling_session_id === undefined || body.seq_id === undefined
        ? undefined
        : `${body.sampling_session_id} ${body.seq_id}`;
    const id = futures.add(key, async (signal) => ({
      kind: 'sample',
      value: await host.sample(call, signal),
    }));
    return pending(id, { sample_sequence_ids: Array.from({ length: call.count }, (_, n) => `${id}:${n}`) });
  }),
  cancel_future: route(requests.futureOnly, ({ futures }, { request_id }) => {
    futures.cancel(request_id);
    return {};
  }),
  'espalier/release': route(requests.release, ({ host }, { session_id, sequences }) => {
    host.release(session_id, sequences);
    return {};
  }),
};

/** Converts a request to sample. @throws engine.unsupported, engine.lost, engine.unknown_model */
function sampleCall(host: ModelHost, body: z.output<typeof requests.sample>): SampleCall {
  const { sampling_params: params, espalier } = body;
  for (const name of ['topk_prompt_logprobs', 'topk_sample_logprobs', 'prompt_alt_tokens_k'] as const)
    if (body[name] > 0)
      throw new AppError(
        'engine.unsupported',
        `sample: ${name} ${body[name]}; this server gives the chosen tokens only`,
      );
  if ((body.target_prompt_logprobs ?? undefined) !== undefined)
    throw new AppError('engine.unsupported', 'sample: target_prompt_logprobs; use a forward pass');
  const from = {
    samplerId: body.sampling_session_id,
    baseModel: body.base_model,
    modelPath: body.model_path,
  };
  const base = host.baseOf(from);
  const stops = typeof params.stop === 'string' ? [params.stop] : params.stop;
  const ids = stops?.filter((stop) => typeof stop === 'number');
  const texts = stops?.filter((stop) => typeof stop === 'string') ?? [];
  return {
    ...from,
    count: body.num_samples,
    tokens: body.prompt,
    promptLogprobs: body.prompt_logprobs === true,
    maxTokens: params.max_tokens ?? Math.max(1, base.contextLength - body.prompt.length),
    seed: params.seed ?? Math.floor(Math.random() * 2 ** 31),
    temperature: params.temperature,
    topK: Math.max(0, params.top_k),
    topP: params.top_p,
    // no list keeps the ends of a turn of the model itself; an empty one means that nothing stops
    stopTokens: ids ?? base.stopTokens,
    stopSequences: [
      ...texts.map((text) => [...Array.from(base.encode(text))]),
      ...(espalier?.stop_sequences ?? []),
    ],
    sequence: espalier?.sequence,
    sharedPrefix: espalier?.shared_prefix,
  };
}
