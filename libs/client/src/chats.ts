/** @file Chats with checkpoints of runs. */
import type { ReplyPiece } from '@espalier/protocol/chat';
import type { Connection } from './connection.js';
import { refused } from './connection.js';
import {
  EndChatDocument,
  ReadChatDocument,
  type ReadChatQuery,
  StartChatDocument,
  type StartChatInput,
} from './generated/operations.js';
import { callRest } from './graphql-http.js';
import type { Answered, Transport } from './transport.js';
import { unwrapResult } from './unwrap-result.js';

/** A checkpoint that is loaded on a worker, and how its run talks to it. */
export type Chat = Answered<ReadChatQuery>['chat'];

/** What is said, and what it continues; docs/use/api.md has the details. */
export interface ChatRequest {
  /** without it the model replies to the context at once */
  readonly message?: string;
  /** of a new conversation; empty: none; default: that of the run */
  readonly system?: string;
  /** ids of the conversation so far: prompt and reply of the reply before */
  readonly before?: readonly number[];
  /** the conversation so far is that of a trajectory, up to the reply of a turn */
  readonly trajectory?: string;
  readonly turn?: number;
  /** that reply is part of it */
  readonly withReply?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxTokens?: number;
  readonly seed?: number;
}

export interface ChatsApi {
  /** Loads a checkpoint on a worker; the chat that the key has with it already is returned. */
  start(runId: string, input?: Omit<StartChatInput, 'runId'>): Promise<Chat>;
  get(runId: string, jobId: string): Promise<Chat>;
  /** Unloads the model. */
  end(runId: string, jobId: string): Promise<Chat>;
  /** Yields a reply as it is sampled; aborting the signal, or to stop reading, ends the sampling. */
  reply(
    runId: string,
    jobId: string,
    request: ChatRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<Omit<ReplyPiece, 'error'>>;
}

/** Creates these calls. */
export function createChatsApi({ request }: Transport, connection: Connection): ChatsApi {
  return {
    start: async (runId, given = {}) =>
      unwrapResult((await request(StartChatDocument, { input: { ...given, runId } })).startChat),
    get: async (runId, jobId) => (await request(ReadChatDocument, { runId, jobId })).chat,
    end: async (runId, jobId) =>
      unwrapResult((await request(EndChatDocument, { input: { runId, jobId } })).endChat),
    async *reply(runId, jobId, asked, signal) {
      const path = `/api/v1/runs/${encodeURIComponent(runId)}/chats/${encodeURIComponent(jobId)}/reply`;
      const response = await callRest(connection, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
        ...(signal === undefined ? {} : { signal }),
      });
      for await (const line of linesOf(response)) {
        const { error, ...piece } = JSON.parse(line) as ReplyPiece;
        if (error !== undefined) throw refused(error.code, error.message);
        yield piece;
      }
    },
  };
}

/** The lines of a body as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel();
  }
}
