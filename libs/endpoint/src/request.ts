/** @file What an agent asks and what it gets, whatever dialect it speaks. */
import type { TemplateMessage } from '@espalier/contracts/template-message';

/** A tool as chat templates read it. */
export interface Tool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** What the model is to continue: a conversation, or plain text or tokens. */
export type AgentPrompt =
  | {
      readonly messages: readonly TemplateMessage[];
      readonly tools: readonly Tool[];
      /** how the reply begins already; may be empty */
      readonly opened: string;
      /** ids of the conversation that the messages continue; absent: they are all of it */
      readonly continued?: readonly number[] | undefined;
      /** further variables of the chat template */
      readonly variables?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly text: string }
  | { readonly tokens: readonly number[] };

export interface AgentRequest {
  readonly model: string | undefined;
  /** several only in /v1/completions */
  readonly prompts: readonly AgentPrompt[];
  /** replies to each prompt */
  readonly n: number;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  /** texts that end a reply, and are not part of it */
  readonly stop: readonly string[];
  readonly logprobs: boolean;
  readonly stream: boolean;
  /** a stream ends with the counts of tokens */
  readonly streamsUsage: boolean;
  /** the ids of prompts and replies are part of the answer */
  readonly returnsTokenIds: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON */
  readonly arguments: string;
}

/** A sampled token. */
export interface ReplyToken {
  readonly id: number;
  /** as far as it stands alone: bytes of a character belong to its last token */
  readonly text: string;
  readonly logprob: number;
}

/** A finished reply. */
export interface Reply {
  /** without calls of tools, stop text and end of turn */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: readonly ReplyToken[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  /** the stop text that ended it */
  readonly stopText: string | undefined;
  readonly prompt: Int32Array;
}

/** What is new of a reply. */
export interface ReplyDelta {
  readonly text: string;
  readonly tokens: readonly ReplyToken[];
}
