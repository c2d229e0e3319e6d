/** @file The requests that a server of the Tinker API reads. Unknown keys are ignored: newer clients send more. */
import { z } from 'zod';
import { maybe, modelInput, passInput } from '../wire/answers.js';
import { tracedLoss } from '../wire/traced-loss.js';

const seqId = maybe(z.int().min(0));

export const createSession = z.object({
  user_metadata: maybe(z.record(z.string(), z.unknown())),
  sdk_version: z.string().optional(),
});
export const heartbeat = z.object({ session_id: z.string() });

const lora = z.object({
  rank: z.int().min(1).max(16384),
  seed: maybe(z.int().min(0)),
  train_attn: z.boolean().optional(),
  train_mlp: z.boolean().optional(),
  train_unembed: z.boolean().optional(),
});
const optimizer = maybe(z.object({ type: z.literal('adamw') }));

export const createModel = z.object({
  session_id: z.string(),
  model_seq_id: z.int().min(0),
  base_model: z.string(),
  lora_config: maybe(lora),
  optimizer_config: optimizer,
});
export const modelOnly = z.object({ model_id: z.string() });
export const futureOnly = z.object({ request_id: z.string() });

export const jsonPass = z
  .object({
    model_id: z.string(),
    seq_id: seqId,
    forward_backward_input: passInput.optional(),
    forward_input: passInput.optional(),
  })
  .refine(
    ({ forward_backward_input, forward_input }) => (forward_backward_input ?? forward_input) !== undefined,
    {
      message: 'expected forward_backward_input or forward_input',
    },
  );

export const createLoss = tracedLoss.extend({ session_id: z.string(), custom_loss_seq_id: z.int().min(0) });

const rate = z.number().min(0).lt(1);
export const optimStep = z.object({
  model_id: z.string(),
  seq_id: seqId,
  adam_params: z.object({
    learning_rate: z.number().min(0).default(1e-4),
    beta1: rate.default(0.9),
    beta2: rate.default(0.95),
    eps: z.number().gt(0).default(1e-12),
    weight_decay: z.number().min(0).default(0),
    grad_clip_norm: z.number().min(0).default(0),
  }),
});

export const saveWeights = z.object({
  model_id: z.string(),
  path: maybe(z.string()),
  seq_id: seqId,
  overwrite: z.boolean().optional(),
});
export const saveForSampler = z.object({
  model_id: z.string(),
  path: maybe(z.string()),
  sampling_session_seq_id: maybe(z.int().min(0)),
  seq_id: seqId,
  kind: z.enum(['snapshot', 'inflight']).optional(),
});
export const loadWeights = z.object({
  model_id: maybe(z.string()),
  session_id: maybe(z.string()),
  model_seq_id: maybe(z.int().min(0)),
  seq_id: seqId,
  path: z.string(),
  optimizer: z.boolean().default(true),
});
export const weightsInfo = z.object({ tinker_path: z.string() });

export const createSampler = z.object({
  session_id: z.string(),
  sampling_session_seq_id: z.int().min(0),
  base_model: maybe(z.string()),
  model_path: maybe(z.string()),
});

const ids = z.array(z.int().min(0));
export const sample = z.object({
  num_samples: z.int().min(1).max(256).default(1),
  prompt: modelInput,
  sampling_params: z.object({
    max_tokens: maybe(z.int().min(1)),
    seed: maybe(z.int().min(0)),
    stop: maybe(z.union([z.string(), ids, z.array(z.string())])),
    temperature: z.number().min(0).max(100).default(1),
    top_k: z.int().default(-1),
    top_p: z.number().gt(0).max(1).default(1),
  }),
  base_model: maybe(z.string()),
  model_path: maybe(z.string()),
  sampling_session_id: maybe(z.string()),
  seq_id: maybe(z.int().min(0)),
  prompt_logprobs: maybe(z.boolean()),
  topk_prompt_logprobs: z.int().min(0).default(0),
  topk_sample_logprobs: z.int().min(0).default(0),
  prompt_alt_tokens_k: z.int().min(0).default(0),
  target_prompt_logprobs: z.unknown().optional(),
  espalier: z
    .object({ sequence: z.string(), shared_prefix: z.int().min(0).optional(), stop_sequences: z.array(ids) })
    .optional(),
});
export const release = z.object({ session_id: z.string(), sequences: z.array(z.string()).max(100_000) });
