/** @file Samples the replies to a request: the prompt built, the sampler asked, the text read, the call recorded. */
import { randomInt, randomUUID } from 'node:crypto';
import {
  AppError,
  type PolicyModel,
  type SampleResult,
  type SamplingParams,
  type Tokenizer,
} from '@espalier/contracts';
import type { TemplateMessage } from '@espalier/contracts/template-message';
import { argumentsOf, callMarks, parseToolCalls } from './tool-calls.js';
import { type BuiltPrompt, buildPrompt } from './prompt.js';
import type { AgentPrompt, AgentRequest, Reply, ReplyDelta, Tool } from './request.js';
import { type Call, findParent } from './sessions/call.js';
import type { Session } from './sessions/session.js';
import { TextStream } from './text-stream.js';

/** The policy that answers. */
export interface AnsweringPolicy {
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  readonly tokenizer: Tokenizer;
  /** maximum sequence length of the model */
  readonly contextLength: number;
  /** further variables of the chat template */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Asked {
  /** of the answer, as the client reads it */
  readonly id: string;
  readonly request: AgentRequest;
  readonly session: Session | undefined;
  /** the client sent the same request before, and had no answer */
  readonly isRetry: boolean;
  /** aborts when the client has gone */
  readonly signal: AbortSignal;
}

/** The replies of a request, and where they are recorded. */
export interface Sampled {
  readonly replies: readonly Reply[];
  readonly calls: readonly Call[];
  readonly policyVersion: number;
}

/** What is known before anything is sampled. */
export interface Planned {
  readonly prompts: readonly BuiltPrompt[];
  readonly params: Omit<SamplingParams, 'maxTokens'>;
  readonly run: (show: (choice: number, delta: ReplyDelta) => void) => Promise<Sampled>;
}

/** The calls whose tokens the caches of sessions end with, by sequence. */
const tails = new WeakMap<Session, Map<string, Call>>();

/**
 * Builds the prompts of a request; `run` samples the replies.
 *
 * @throws endpoint.prompt_too_long, endpoint.invalid_request, session.ended, session.call_limit
 */
export function planReplies(answering: AnsweringPolicy, asked: Asked): Planned {
  const { tokenizer, contextLength, variables } = answering;
  const { request, session, isRetry } = asked;
  session?.assertOpen('call');
  const { sampling } = session?.terms ?? {};
  const context = Math.min(session?.terms.contextTokens ?? contextLength, contextLength);
  const prompts = request.prompts.map((prompt) =>
    buildPrompt(tokenizer, prompt, session?.calls ?? [], variables),
  );
  const wanted = Math.min(request.maxTokens ?? Infinity, sampling?.maxTokens ?? Infinity);
  for (const { tokens } of prompts) checkRoom(tokens, context);
  if (isRetry) for (const { tokens } of prompts) session?.replace(tokens);
  const params = {
    temperature: sampling?.temperature ?? request.temperature ?? 1,
    topP: sampling?.topP ?? request.topP ?? 1,
    topK: sampling?.topK ?? request.topK ?? 0,
    stopTokens: tokenizer.stopTokens,
    stopSequences: [],
  };
  const run: Planned['run'] = async (show) => {
    const jobs = prompts.flatMap((built, at) =>
      Array.from({ length: request.n }, (_, draw) => ({
        built,
        draw,
        prompt: request.prompts[at] as AgentPrompt,
        params: { ...params, maxTokens: Math.min(wanted, context - built.tokens.length) },
      })),
    );
    const done = await Promise.all(
      jobs.map((job, choice) =>
        sampleReply(answering, asked, { ...job, choice }, (delta) => show(choice, delta)),
      ),
    );
    return {
      replies: done.map(({ reply }) => reply),
      calls: done.flatMap(({ call }) => call ?? []),
      policyVersion: done[0]?.policyVersion ?? 0,
    };
  };
  return { prompts, params, run };
}

function checkRoom(tokens: Int32Array, context: number): void {
  if (tokens.length === 0)
    throw new AppError('endpoint.invalid_request', 'prompt: it is empty; give at least one message or token');
  if (tokens.length < context) return;
  throw new AppError(
    'endpoint.prompt_too_long',
    `prompt: it has ${tokens.length} tokens, and the context holds ${context} with the reply; shorten the conversation`,
  );
}

interface Job {
  readonly built: BuiltPrompt;
  readonly prompt: AgentPrompt;
  /** among the replies to this prompt */
  readonly draw: number;
  /** among all replies of the answer */
  readonly choice: number;
  readonly params: SamplingParams;
}

async function sampleReply(
  { policy, tokenizer }: AnsweringPolicy,
  { id, request, session, signal: gone }: Asked,
  { built, prompt, draw, choice, params }: Job,
  show: (delta: ReplyDelta) => void,
): Promise<{ readonly reply: Reply; readonly call?: Call; readonly policyVersion: number }> {
  const tools = 'tools' in prompt ? prompt.tools : [];
  const stream = new TextStream({
    tokenizer,
    previous: built.tokens.at(-1),
    stops: request.stop,
    marks: tools.length === 0 ? [] : callMarks,
    opening: tools.length === 0 ? undefined : '{',
  });
  const watch = (ids: readonly number[], logprobs: readonly number[]): boolean => {
    const isOver = stream.take(ids, logprobs);
    if (request.stream && !isOver) show(stream.next(false));
    return isOver;
  };
  const begun = session?.begin();
  const started = performance.now();
  const parent = session === undefined ? undefined : findParent(built.tokens, session.calls);
  const ends = session === undefined ? undefined : tailsOf(session);
  const sequence = session?.takeSequence(parent, ends ?? new Map()) ?? randomUUID();
  let isCached = false;
  try {
    const isWatched = request.stream || request.stop.length > 0;
    const own = begun?.seed ?? randomInt(2 ** 31);
    // where what is sampled is learned from, the run decides the seeds
    const isForced = session?.terms.sampling !== undefined || request.seed === undefined;
    const seed = isForced ? own : (request.seed ?? 0) + draw;
    const signal = session === undefined ? gone : AbortSignal.any([gone, session.signal]);
    const result = await policy.sample(
      { sequence, tokens: built.tokens, params, seed },
      signal,
      isWatched ? watch : undefined,
    );
    stream.take([...result.tokens], [...result.logprobs]);
    const sample = cutSample(result, stream.tokens.length, stream.stopText !== undefined);
    const last = stream.next(true);
    const reply = readReply(stream, sample, built, tools);
    show({ ...last, text: request.stream ? restOf(last.text, stream.text, reply) : last.text });
    const timings = { sampleMs: performance.now() - started, environmentMs: begun?.environmentMs ?? 0 };
    if (session === undefined) return { reply, policyVersion: sample.policyVersion };
    session.assertOpen('call');
    const messages =
      'messages' in prompt ? prompt.messages.map((message) => JSON.stringify(message)) : undefined;
    const message = messages && JSON.stringify(messageOf(reply, 'opened' in prompt ? prompt.opened : ''));
    const call = session.add({ id, choice, built, messages, message, sample, reply, timings });
    ends?.set(sequence, call);
    isCached = true;
    return { reply, call, policyVersion: sample.policyVersion };
  } catch (error) {
    // what was cancelled because the session ended
    if (!gone.aborted) session?.assertOpen('call');
    throw error;
  } finally {
    session?.end();
    if (isCached) session?.giveBack(sequence);
    else policy.release([sequence]);
  }
}

function tailsOf(session: Session): Map<string, Call> {
  const known = tails.get(session) ?? new Map<string, Call>();
  tails.set(session, known);
  return known;
}

/** An engine that cannot be watched samples beyond a stop text; that is cut off, and is no part of the reply. */
function cutSample(result: SampleResult, count: number, isStopped: boolean): SampleResult {
  if (!isStopped) return result;
  return {
    ...result,
    tokens: result.tokens.subarray(0, count),
    logprobs: result.logprobs.subarray(0, count),
    entropies: result.entropies.subarray(0, count),
    stop: 'stop',
  };
}

function readReply(
  stream: TextStream,
  sample: SampleResult,
  built: BuiltPrompt,
  tools: readonly Tool[],
): Reply {
  const { content, toolCalls } = parseToolCalls(
    stream.text,
    tools,
    () => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
  );
  const cut = sample.stop === 'stop' ? 'stop' : 'length';
  return {
    content,
    toolCalls,
    tokens: stream.tokens,
    finish: toolCalls.length > 0 ? 'tool_calls' : cut,
    stopText: stream.stopText,
    prompt: built.tokens,
  };
}

/** What a stream has yet to show: nothing of calls of tools, which are sent as such. */
function restOf(rest: string, text: string, { content, toolCalls }: Reply): string {
  if (toolCalls.length === 0) return rest;
  const shown = text.slice(0, text.length - rest.length);
  return content.startsWith(shown.trimEnd()) ? content.slice(shown.length) : '';
}

/** A reply as an agent sends it back. */
function messageOf({ content, toolCalls }: Reply, opened: string): TemplateMessage {
  return {
    role: 'assistant',
    content: opened + content,
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function',
            function: { name, arguments: argumentsOf(text) },
          })),
        }),
  };
}
