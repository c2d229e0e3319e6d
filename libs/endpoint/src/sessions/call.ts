/** @file One call of a session: what the model was shown, and what was sampled. */
import { createHash } from 'node:crypto';
import type { SampleResult, Turn } from '@espalier/contracts';
import { type BuiltPrompt, join } from '../prompt.js';
import type { Reply } from '../request.js';

/** A reply as a turn keeps it: the version of the weights may not be known. */
type RecordedSample = Omit<SampleResult, 'policyVersion'> & Pick<Turn, 'policyVersion'>;

export interface Call {
  /** of the answer that the client got */
  readonly id: string;
  /** which of its replies */
  readonly choice: number;
  readonly prompt: Int32Array;
  readonly isShown: Uint8Array;
  readonly observation: string;
  readonly promptText: string;
  /** the messages that it was asked with, each as JSON; undefined: it was asked with text or tokens */
  readonly messages: readonly string[] | undefined;
  /** the reply as a message, as JSON: what an agent sends back */
  readonly message: string | undefined;
  readonly sample: RecordedSample;
  readonly reply: Reply;
  /** prompt and reply */
  readonly tokens: Int32Array;
  /** the call whose tokens this one's prompt begins with, and which it continues */
  readonly parent: Call | undefined;
  /** equal for equal prompts */
  readonly stateKey: string;
  /** the agent never saw the reply, or asked again for it: not part of what is learned from */
  isDropped: boolean;
  /** what the agent said of this reply alone */
  reward: CallReward | undefined;
  readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
}

export interface CallReward {
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface NewCall {
  readonly id: string;
  readonly choice: number;
  readonly built: BuiltPrompt;
  readonly messages: readonly string[] | undefined;
  readonly message: string | undefined;
  readonly sample: RecordedSample;
  readonly reply: Reply;
  readonly timings: Call['timings'];
}

/** Places a call in the tree of its session: below the longest call that it continues. */
export function placeCall({ built, ...call }: NewCall, calls: readonly Call[]): Call {
  const { tokens: prompt, isShown, observation, text: promptText } = built;
  return {
    ...call,
    prompt,
    isShown,
    observation,
    promptText,
    tokens: join(prompt, call.sample.tokens),
    parent: findParent(prompt, calls),
    stateKey: createHash('sha256')
      .update(new Uint8Array(prompt.buffer, prompt.byteOffset, prompt.byteLength))
      .digest('hex')
      .slice(0, 32),
    isDropped: false,
    reward: undefined,
  };
}

/** Finds the call with the most tokens that a prompt begins with. */
export function findParent(prompt: Int32Array, calls: readonly Call[]): Call | undefined {
  let found: Call | undefined;
  for (const call of calls) {
    if (call.isDropped || call.tokens.length <= (found?.tokens.length ?? 0)) continue;
    if (call.tokens.length <= prompt.length && startsWith(prompt, call.tokens)) found = call;
  }
  return found;
}

function startsWith(tokens: Int32Array, start: Int32Array): boolean {
  // from the end, where conversations differ
  for (let at = start.length - 1; at >= 0; at -= 1) if (tokens[at] !== start[at]) return false;
  return true;
}
