/** @file Sampling through a server. A request is checked before it is sent, and its result before it is used. */
import {
  AppError,
  type EngineDescription,
  type PolicyModel,
  type SampleRequest,
  type SampleResult,
} from '@espalier/contracts';
import { checkSampleRequest } from '@espalier/engine';
import { deriveSeed } from '@espalier/random';
import { z } from 'zod';
import type { WireSample, WireSequence } from '../wire/protobuf.js';
import { checkLogprobs } from './check-results.js';
import type { Connection } from './connection.js';
import type { RemoteModel } from './remote-model.js';

/** Creates the sampling half of a policy. */
export function createRemoteSampler(
  connection: Connection,
  remote: RemoteModel,
  description: EngineDescription,
): Pick<PolicyModel, 'sample' | 'release'> {
  const isOwn = connection.capabilities.espalier !== undefined;
  const known = new Map<string, Int32Array>();
  let requests = 0;
  return {
    async sample(request, signal) {
      checkSampleRequest(request, description);
      checkGrowth(request, known.get(request.sequence));
      throwIfCancelled(request, signal);
      const { tokens, params, sequence } = request;
      known.set(sequence, Int32Array.from(tokens));
      const { version } = remote;
      const room = description.contextLength - tokens.length;
      const most = Math.min(params.maxTokens, room);
      if (most <= 0) return resultOf(nothing, params.maxTokens === 0 ? 'length' : 'context', version);
      const answer = await remote.sampling((samplerId) => {
        const body = bodyOf(request, most, { samplerId, seqId: requests++, isOwn });
        return connection.sample(body, signal);
      });
      throwIfCancelled(request, signal);
      const found = checkSample(request, answer, most, description);
      return finish(request, found, most, version);
    },
    release(names) {
      for (const name of names) known.delete(name);
      if (!isOwn) return;
      const json = { session_id: connection.sessionId(), sequences: [...names] };
      // frees memory there; a server that has started anew has freed it
      connection.call('espalier/release', json, z.unknown()).catch(() => undefined);
    },
  };
}

const nothing = {
  tokens: new Int32Array(),
  logprobs: new Float32Array(),
  entropies: new Float32Array(),
};

function checkGrowth({ sequence, tokens }: SampleRequest, before: Int32Array | undefined): void {
  if (before === undefined) return;
  if (tokens.length >= before.length && before.every((id, t) => tokens[t] === id)) return;
  throw new AppError(
    'engine.invalid_request',
    `sample "${sequence}": it began with other tokens; a sequence only grows, or is released first`,
  );
}

function throwIfCancelled({ sequence }: SampleRequest, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AppError('engine.cancelled', `sample "${sequence}": cancelled`);
}

function bodyOf(
  { sequence, tokens, params, seed, sharedPrefix }: SampleRequest,
  most: number,
  {
    samplerId,
    seqId,
    isOwn,
  }: { readonly samplerId: string; readonly seqId: number; readonly isOwn: boolean },
) {
  return {
    num_samples: 1,
    prompt: { chunks: [{ tokens: [...tokens], type: 'encoded_text' }] },
    sampling_params: {
      max_tokens: most,
      // elsewhere a seed begins anew with each request: turns of a sequence must not share their draws
      seed: isOwn ? seed : deriveSeed(seed, tokens.length) % 2 ** 31,
      stop: [...params.stopTokens],
      temperature: params.temperature,
      top_k: params.topK === 0 ? -1 : params.topK,
      top_p: params.topP,
    },
    sampling_session_id: samplerId,
    seq_id: seqId,
    prompt_logprobs: false,
    ...(isOwn
      ? {
          espalier: {
            sequence,
            stop_sequences: params.stopSequences,
            ...(sharedPrefix === undefined ? {} : { shared_prefix: sharedPrefix }),
          },
        }
      : {}),
    type: 'sample',
  };
}

type Checked = WireSequence & { readonly logprobs: Float32Array; readonly entropies: Float32Array };

/** @throws engine.bad_answer, engine.not_finite */
function checkSample(
  { sequence, params }: SampleRequest,
  { sequences }: WireSample,
  most: number,
  { vocabularySize }: EngineDescription,
): Checked {
  const [found, ...more] = sequences;
  const bad = (finding: string): AppError =>
    new AppError('engine.bad_answer', `sample "${sequence}": ${finding}; nothing was trained on it`);
  if (found === undefined || more.length > 0) throw bad(`${sequences.length} sequences, expected one`);
  const { tokens, logprobs, entropies, stop } = found;
  if (logprobs === undefined)
    throw bad('no log-probabilities, which training needs; choose a server that gives them');
  if (logprobs.length !== tokens.length)
    throw bad(`${logprobs.length} log-probabilities for ${tokens.length} tokens`);
  if (tokens.length > most) throw bad(`${tokens.length} tokens, at most ${most} were asked for`);
  if (tokens.length === 0) throw bad('no tokens, at least one was asked for');
  const unknown = tokens.find((id) => id < 0 || id >= vocabularySize);
  if (unknown !== undefined)
    throw bad(
      `token ${unknown}, ids are 0 to ${vocabularySize - 1}; engine.model is not the model of the spec`,
    );
  checkLogprobs(`sample "${sequence}"`, logprobs);
  if (entropies !== undefined && entropies.length !== tokens.length)
    throw bad(`${entropies.length} entropies for ${tokens.length} tokens`);
  const isKnownStop =
    params.stopTokens.length === 0 ||
    params.stopTokens.includes(tokens.at(-1) ?? -1) ||
    params.stopSequences.length > 0;
  if (stop === 'stop' && !isKnownStop)
    throw bad(
      `it stopped at token ${tokens.at(-1)}, which is no stop token; the server may leave stop tokens out`,
    );
  if (stop === 'length' && tokens.length < most && params.stopSequences.length === 0)
    throw bad(`it ended for its length after ${tokens.length} of ${most} tokens`);
  return { ...found, logprobs, entropies: entropies ?? logprobs.map((value) => -value) };
}

/** Cuts at the first stop sequence, and says why sampling stopped. */
function finish({ params }: SampleRequest, found: Checked, most: number, version: number): SampleResult {
  const { tokens, logprobs, entropies } = found;
  for (let length = 1; length <= tokens.length; length += 1) {
    if (!params.stopSequences.some((sequence) => endsWith(tokens, length, sequence))) continue;
    const cut = {
      tokens: tokens.slice(0, length),
      logprobs: logprobs.slice(0, length),
      entropies: entropies.slice(0, length),
    };
    return resultOf(cut, 'stop', version);
  }
  if (found.stop === 'stop') return resultOf(found, 'stop', version);
  return resultOf(found, most < params.maxTokens ? 'context' : 'length', version);
}

const endsWith = (tokens: Int32Array, length: number, sequence: readonly number[]): boolean =>
  sequence.length > 0 &&
  sequence.length <= length &&
  sequence.every((id, n) => tokens[length - sequence.length + n] === id);

const resultOf = (
  { tokens, logprobs, entropies }: Pick<SampleResult, 'tokens' | 'logprobs' | 'entropies'>,
  stop: SampleResult['stop'],
  policyVersion: number,
): SampleResult => ({ tokens, logprobs, entropies, stop, policyVersion });
