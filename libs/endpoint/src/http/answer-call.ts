/** @file A call of the model: read in its dialect, sampled, answered whole or as events. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '@espalier/contracts';
import type { AnswerStart, Dialect } from '../dialects/dialect.js';
import { type AnsweringPolicy, type Planned, planReplies } from '../sample-replies.js';
import type { Session } from '../sessions/session.js';
import { describeFailure, openEvents, readJson, sendJson } from './exchange.js';

export interface CallParts {
  readonly answering: AnsweringPolicy;
  /** name of the model in answers */
  readonly model: string;
  readonly dialect: Dialect;
  /** @throws session.* */
  readonly session: Session | undefined;
}

/** Answers a call; errors before the first event are thrown, later ones are events. */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  parts: CallParts,
): Promise<void> {
  const { answering, model, dialect, session } = parts;
  const asked = dialect.parse(await readJson(request));
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const isRetry = Number(request.headers['x-stainless-retry-count'] ?? 0) > 0;
  const id = `${dialect.idPrefix}${randomUUID().replaceAll('-', '')}`;
  const planned = planReplies(answering, { id, request: asked, session, isRetry, signal: gone.signal });
  const start: AnswerStart = {
    id,
    created: Math.floor(Date.now() / 1000),
    model,
    request: asked,
    prompts: planned.prompts.map(({ tokens }) => tokens),
    promptTokens: planned.prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
  };
  const headers = describeSampling(planned);
  if (asked.stream) return streamAnswer(response, parts, start, planned, headers);
  const { replies, calls, policyVersion } = await planned.run(() => undefined);
  const isTaken = await sendJson(response, 200, dialect.answer(start, replies), {
    ...headers,
    'x-policy-version': String(policyVersion),
  });
  if (!isTaken) for (const call of calls) session?.drop(call);
}

async function streamAnswer(
  response: ServerResponse,
  { dialect, session }: CallParts,
  start: AnswerStart,
  planned: Planned,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const events = openEvents(response, headers);
  const stream = dialect.stream(start, (data, event) => events.send(data, event));
  try {
    const { replies, calls } = await planned.run((choice, delta) => stream.delta(choice, delta));
    stream.end(replies);
    if (!(await events.end())) for (const call of calls) session?.drop(call);
  } catch (thrown) {
    const { error, status } = describeFailure(thrown);
    sendFailure(events, dialect, error, status);
    await events.end();
  }
}

function sendFailure(
  events: ReturnType<typeof openEvents>,
  dialect: Dialect,
  error: AppError,
  status: number,
): void {
  const body = dialect.error(error, status);
  const isNamed = dialect.path === 'messages' || dialect.path === 'responses';
  events.send(body, isNamed ? 'error' : undefined);
}

/** What replies are sampled with, whatever was asked for. */
function describeSampling({ params: { temperature, topP, topK } }: Planned): Record<string, string> {
  return { 'x-sampling': `temperature=${temperature} top_p=${topP} top_k=${topK}` };
}
