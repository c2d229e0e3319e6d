/**
 * @file A session with a server: what it can do, heartbeats, and calls whose results come as futures. A call fails as
 * `engine.lost` when the server no longer knows the session, the model or the future: it has started anew since.
 */
import { AppError, hasCode } from '@espalier/contracts';
import type { z } from 'zod';
import {
  type Capabilities,
  capabilities,
  clientConfig,
  createdLoss,
  createdSession,
  failed,
  future,
  passResultJson,
  passToJson,
  sampleJson,
  tryAgain,
} from '../wire/answers.js';
import {
  decodePassResult,
  decodeSample,
  encodePass,
  type WirePass,
  type WirePassResult,
  type WireSample,
} from '../wire/protobuf.js';
import type { TracedLoss } from '../wire/traced-loss.js';
import { createResultWatch, type ResultLimits, type ResultWatch } from './result-watch.js';
import { type Answer, type Body, createTransport, describe, type TransportOptions } from './transport.js';

export interface ConnectionOptions extends TransportOptions, ResultLimits {
  /** name of the base model on the server */
  readonly model: string;
  /** see `espalier_owner` of our own server */
  readonly owner?: string | undefined;
  readonly heartbeatMs?: number;
}

export interface Connection {
  readonly capabilities: Capabilities;
  /** longest sequence of the model, if the server says */
  readonly contextLength: number | undefined;
  /** of the current session */
  readonly sessionId: () => string;
  /** A call that is answered at once. */
  call<Result>(path: string, json: unknown, schema: z.ZodType<Result>): Promise<Result>;
  /** A call whose result is awaited. */
  submit<Result>(
    path: string,
    json: unknown,
    schema: z.ZodType<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
  pass(pass: WirePass): Promise<WirePassResult>;
  sample(json: unknown, signal?: AbortSignal): Promise<WireSample>;
  /** Whether the server has a route. */
  hasRoute(path: string): Promise<boolean>;
  /** Whether the server computes losses that are sent as graphs. */
  takesLosses(): Promise<boolean>;
  /** The id of such a loss in this session, to which it is sent once. */
  lossId(loss: TracedLoss): Promise<string>;
  /** Opens a new session on a server that has started anew. */
  reopen(): Promise<void>;
  close(): void;
}

/** Number of this client on the wire: the newest SDK whose form it speaks. */
const sdkVersion = '0.38.0';

/**
 * Opens a session.
 *
 * @throws engine.unreachable, engine.denied, engine.unknown_model, engine.bad_answer
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const transport = createTransport(options);
  const ask = async <Result>(
    path: string,
    body: Body | undefined,
    schema: z.ZodType<Result>,
  ): Promise<Result> => parse(path, accepted(path, await transport.send(path, body)), schema);
  const wait = createWait(transport, createResultWatch(options.url, options));
  let session = '';
  let found: Capabilities | undefined;
  const open = async (): Promise<void> => {
    found = await ask('get_server_capabilities', undefined, capabilities);
    validateModel(options, found);
    const user_metadata = options.owner === undefined ? {} : { espalier_owner: options.owner };
    const json = { tags: [], user_metadata, sdk_version: sdkVersion, type: 'create_session' };
    const created = await ask('create_session', { json }, createdSession);
    if ((created.error_message ?? '') !== '')
      throw new AppError('engine.refused', `open session with ${options.url}: ${created.error_message}`);
    session = created.session_id;
  };
  try {
    await open();
  } catch (error) {
    transport.close();
    throw error;
  }
  const heartbeat = setInterval(() => {
    const json = { session_id: session, type: 'session_heartbeat' };
    // a session that is gone shows in the next call, which can tell why
    transport.send('session_heartbeat', { json }).catch(() => undefined);
  }, options.heartbeatMs ?? 10_000);
  heartbeat.unref();
  const { submitted, pass, sample } = createCalls(transport, wait);
  return {
    get capabilities() {
      return found as Capabilities;
    },
    get contextLength() {
      const own = found?.supported_models.find(({ model_name }) => model_name === options.model);
      return own?.max_context_length ?? undefined;
    },
    sessionId: () => session,
    call: (path, json, schema) => ask(path, { json }, schema),
    submit: async (path, json, schema, signal) =>
      parse(path, await submitted(path, { json }, signal), schema),
    pass,
    sample,
    async hasRoute(path) {
      const { status } = await transport.send(path, { json: {} });
      return status !== 404 && status !== 405;
    },
    reopen: open,
    ...createLosses(
      () => session,
      ask,
      async (json) =>
        parse('create_custom_loss', await submitted('create_custom_loss', { json }), createdLoss),
    ),
    close() {
      clearInterval(heartbeat);
      transport.close();
    },
  };
}

type Ask = <Result>(path: string, body: Body, schema: z.ZodType<Result>) => Promise<Result>;

/** Losses that a server computes, sent to each session once. */
function createLosses(
  sessionId: () => string,
  ask: Ask,
  create: (json: unknown) => Promise<z.output<typeof createdLoss>>,
): Pick<Connection, 'takesLosses' | 'lossId'> {
  let takes: Promise<boolean> | undefined;
  let sent: { readonly session: string; readonly ids: Map<string, Promise<string>> } | undefined;
  const askWhether = async (): Promise<boolean> => {
    try {
      const found = await ask('client/config', { json: { sdk_version: sdkVersion } }, clientConfig);
      return found.custom_loss_server_side === true;
    } catch (error) {
      // a server older than the route
      if (hasCode(error, 'engine.unsupported') || hasCode(error, 'engine.refused')) return false;
      throw error;
    }
  };
  return {
    takesLosses: () => (takes ??= askWhether()),
    lossId(loss) {
      const session = sessionId();
      if (sent?.session !== session) sent = { session, ids: new Map() };
      const { ids } = sent;
      // each iteration builds its loss anew, mostly the same one
      const key = JSON.stringify(loss);
      const known = ids.get(key);
      if (known !== undefined) return known;
      const request = {
        session_id: session,
        custom_loss_seq_id: ids.size,
        ...loss,
        type: 'create_custom_loss',
      };
      const id = create(request).then(({ loss_id }) => loss_id);
      ids.set(key, id);
      id.catch(() => ids.delete(key));
      return id;
    },
  };
}

/** Calls that are answered by futures. */
function createCalls(transport: ReturnType<typeof createTransport>, wait: ReturnType<typeof createWait>) {
  let asksJson = false;
  const submitted = async (path: string, body: Body, signal?: AbortSignal): Promise<Answer> => {
    const sent = await transport.send(path, body, signal === undefined ? {} : { signal });
    const { request_id } = parse(path, accepted(path, sent), future);
    try {
      return await wait(path, request_id, signal);
    } catch (error) {
      // ends the work there as well, where the server has the route
      if (hasCode(error, 'engine.cancelled'))
        transport.send('cancel_future', { json: { request_id } }).catch(() => undefined);
      throw error;
    }
  };
  const passJson = (pass: WirePass): Promise<Answer> =>
    submitted(pass.forwardOnly ? 'forward' : 'forward_backward', { json: passToJson(pass) });
  return {
    submitted,
    async pass(pass: WirePass): Promise<WirePassResult> {
      const path = 'forward_backward';
      if (asksJson) return readPass(path, await passJson(pass));
      const sent = await transport.send(path, { protobuf: encodePass(pass) });
      // a server older than the binary form cannot read it, and has taken nothing
      if (sent.status === 415 || sent.status === 422) {
        const answer = await passJson(pass).catch((error: unknown) => {
          if (hasCode(error, 'engine.refused')) return undefined;
          throw error;
        });
        if (answer === undefined) accepted(path, sent);
        asksJson = true;
        return readPass(path, answer as Answer);
      }
      const { request_id } = parse(path, accepted(path, sent), future);
      return readPass(path, await wait(path, request_id));
    },
    async sample(json: unknown, signal?: AbortSignal): Promise<WireSample> {
      const answer = await submitted('asample', { json }, signal);
      return answer.isBinary ? decodeSample(answer.bytes) : parse('asample', answer, sampleJson);
    },
  };
}

const readPass = (path: string, answer: Answer): WirePassResult =>
  answer.isBinary ? decodePassResult(answer.bytes) : parse(path, answer, passResultJson);

function validateModel({ url, model }: ConnectionOptions, { supported_models }: Capabilities): void {
  const names = supported_models.flatMap(({ model_name }) => model_name ?? []);
  if (names.includes(model)) return;
  throw new AppError(
    'engine.unknown_model',
    `open ${url}: it has no model "${model}", but ${names.map((name) => `"${name}"`).join(', ') || 'none'}; set engine.model to one of them`,
    { details: { model, offered: names } },
  );
}

/** Polls until there is a result. */
function createWait(transport: ReturnType<typeof createTransport>, watch: ResultWatch) {
  return (path: string, id: string, caller?: AbortSignal): Promise<Answer> =>
    watch(path, caller, async (signal) => {
      for (;;) {
        const json = { request_id: id, allow_metadata_only: false };
        const answer = await transport.send('retrieve_future', { json }, { isPoll: true, signal });
        if (answer.status !== 408 && !isTryAgain(answer)) return accepted(path, answer);
        // a poll that was not even answered: is anybody there?
        if (answer.bytes.length === 0) await transport.send('get_server_capabilities', undefined, { signal });
      }
    });
}

function isTryAgain({ isBinary, bytes }: Answer): boolean {
  return !isBinary && bytes.length < 2000 && tryAgain.safeParse(json(bytes)).success;
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const gone =
  /\b(?:model|session|sampler|future|request|promise)\b.*\b(?:not (?:found|loaded)|unknown|expired|gone)\b|\bunknown (?:model|session|future)\b/i;

/** Gives the answer back unless it is a refusal. @throws engine.lost, engine.refused, engine.unsupported */
function accepted(path: string, answer: Answer): Answer {
  const { status, isBinary, bytes } = answer;
  if (status < 300) {
    const failure = isBinary || bytes.length > 100_000 ? undefined : failed.safeParse(json(bytes)).data;
    if (failure === undefined) return answer;
    throw refusal(path, 200, failure.error);
  }
  throw refusal(path, status, describe(bytes));
}

function refusal(path: string, status: number, finding: string): AppError {
  if (status === 410 || ((status === 200 || status === 400 || status === 404) && gone.test(finding)))
    return new AppError('engine.lost', `request ${path}: ${status} ${finding}; the server has started anew`);
  if (status === 404 || status === 405)
    return new AppError(
      'engine.unsupported',
      `request ${path}: ${status} ${finding}; the server has no such route, it speaks another version of the Tinker API, or engine.url is not its root`,
    );
  return new AppError('engine.refused', `request ${path}: the server refuses it (${status}): ${finding}`, {
    details: { path, status },
  });
}

function parse<Result>(path: string, { isBinary, bytes }: Answer, schema: z.ZodType<Result>): Result {
  const parsed = schema.safeParse(isBinary ? undefined : json(bytes));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new AppError(
    'engine.bad_answer',
    `request ${path}: the answer is not that of the Tinker API (${place === '' ? '' : `${place}: `}${issue?.message ?? 'unreadable'}): ${describe(bytes)}; the server speaks another version`,
  );
}
