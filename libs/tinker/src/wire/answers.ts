/**
 * @file The JSON form of the Tinker API: what a server answers, and passes and samples for servers that know no protobuf.
 * Unknown keys are ignored, since servers add their own.
 */
import { z } from 'zod';
import { joinInts, type WireDatum, type WirePass, type WirePassResult, type WireSample } from './protobuf.js';

/** A value that may be null or absent: undefined is both. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** What our own server does beyond the API; absent from every other. */
const extensions = z.object({
  /** changes with every start of the server */
  boot: z.string(),
  /** number of the extensions' form */
  version: z.literal(1),
});

export const capabilities = z.object({
  supported_models: z.array(
    z.object({ model_name: maybe(z.string()), max_context_length: maybe(z.int().positive()) }),
  ),
  espalier: extensions.optional(),
});
export type Capabilities = z.output<typeof capabilities>;

export const createdSession = z.object({
  session_id: z.string().min(1),
  warning_message: maybe(z.string()),
  error_message: maybe(z.string()),
});

/** Every later call is answered by the number of a future. */
export const future = z.object({ request_id: z.coerce.string().min(1) });

export const createdModel = z.object({ model_id: z.string().min(1) });
export const savedWeights = z.object({ path: z.string().startsWith('tinker://') });
export const loadedWeights = z.object({ type: maybe(z.string()) });
export const savedForSampler = z.object({
  path: maybe(z.string()),
  sampling_session_id: maybe(z.string()),
});
export const samplingSession = z.object({ sampling_session_id: z.string().min(1) });
export const steppedOptimizer = z.object({ metrics: z.record(z.string(), z.number().nullable()).nullish() });

/** What a server wants of its clients; older ones know nothing of custom losses. */
export const clientConfig = z.object({ custom_loss_server_side: z.boolean().optional() });
export const createdLoss = z.object({ loss_id: z.string().min(1) });

/** A future that failed, in the result of the SDK's newer servers. */
export const failed = z.object({ error: z.string(), category: z.string().nullish() });
export const tryAgain = z.object({ type: z.literal('try_again') });

const tensor = z.object({ data: z.array(z.number().nullable()) });
const passResult = z.object({
  loss_fn_outputs: z.array(z.record(z.string(), tensor)),
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});
const sample = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.enum(['stop', 'length']),
      tokens: z.array(z.int()),
      logprobs: maybe(z.array(z.number().nullable())),
    }),
  ),
  prompt_logprobs: maybe(z.array(z.number().nullable())),
});

const floats = (values: readonly (number | null)[]): Float32Array =>
  Float32Array.from(values, (value) => value ?? Number.NaN);

/** The result of a pass from JSON. */
export const passResultJson = passResult.transform(({ loss_fn_outputs, metrics }): WirePassResult => ({
  outputs: loss_fn_outputs.map((fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, { data }]) => [name, floats(data)])),
  ),
  metrics: Object.fromEntries(
    Object.entries(metrics ?? {}).map(([name, value]) => [name, value ?? Number.NaN]),
  ),
}));

/** Sampled sequences from JSON. */
export const sampleJson = sample.transform(({ sequences, prompt_logprobs }): WireSample => ({
  sequences: sequences.map(({ stop_reason, tokens, logprobs }) => ({
    stop: stop_reason,
    tokens: Int32Array.from(tokens),
    logprobs: logprobs === undefined ? undefined : floats(logprobs),
  })),
  promptLogprobs: prompt_logprobs === undefined ? undefined : floats(prompt_logprobs),
}));

/** A pass as JSON, for servers older than the protobuf form. */
export function passToJson({ modelId, seqId, data, lossFn, lossConfig, forwardOnly }: WirePass) {
  const input = {
    data: data.map(({ tokens, inputs }) => ({
      model_input: { chunks: [{ type: 'encoded_text', tokens: [...tokens] }] },
      loss_fn_inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, { dtype, data: values }]) => [
          name,
          { data: [...values], dtype, shape: [values.length] },
        ]),
      ),
    })),
    loss_fn: lossFn,
    ...(Object.keys(lossConfig).length === 0 ? {} : { loss_fn_config: lossConfig }),
  };
  return {
    model_id: modelId,
    seq_id: seqId,
    [forwardOnly ? 'forward_input' : 'forward_backward_input']: input,
  };
}

const chunk = z.object({ type: z.literal('encoded_text').optional(), tokens: z.array(z.int()) });
const datumInput = z.object({ data: z.array(z.number()), dtype: z.enum(['float32', 'int64']).optional() });

export const modelInput = z
  .object({ chunks: z.array(chunk).min(1) })
  .transform(({ chunks }) => joinInts(chunks.map(({ tokens }) => Int32Array.from(tokens))));

export const passInput = z
  .object({
    data: z.array(z.object({ model_input: modelInput, loss_fn_inputs: z.record(z.string(), datumInput) })),
    loss_fn: z.string(),
    loss_fn_config: z.record(z.string(), z.union([z.number(), z.string()])).nullish(),
  })
  .transform(({ data, loss_fn, loss_fn_config }) => ({
    lossFn: loss_fn,
    lossConfig: loss_fn_config ?? {},
    data: data.map(({ model_input, loss_fn_inputs }): WireDatum => ({
      tokens: model_input,
      inputs: Object.fromEntries(
        Object.entries(loss_fn_inputs).map(([name, { data: values, dtype }]) => {
          const isWhole = name === 'target_tokens' || dtype === 'int64';
          return [
            name,
            isWhole
              ? { dtype: 'int64', data: Int32Array.from(values) }
              : { dtype: 'float32', data: Float32Array.from(values) },
          ] as const;
        }),
      ),
    })),
  }));

/** The result of a pass as JSON; what is not finite is null. */
export function passResultToJson({ outputs, metrics }: WirePassResult) {
  return {
    loss_fn_output_type: 'scalar',
    loss_fn_outputs: outputs.map((fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, values]) => [
          name,
          { data: [...values], dtype: 'float32', shape: [values.length] },
        ]),
      ),
    ),
    metrics,
  };
}

/** Sampled sequences as JSON. */
export function sampleToJson({ sequences, promptLogprobs }: WireSample) {
  return {
    type: 'sample',
    sequences: sequences.map(({ stop, tokens, logprobs }) => ({
      stop_reason: stop,
      tokens: [...tokens],
      logprobs: logprobs === undefined ? null : [...logprobs],
    })),
    prompt_logprobs:
      promptLogprobs === undefined
        ? null
        : [...promptLogprobs].map((value) => (Number.isNaN(value) ? null : value)),
  };
}
