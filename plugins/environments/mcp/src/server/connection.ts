/**
 * @file A server that is started or reached, and spoken to in either protocol: that of 2026-07-28, which keeps no session, or
 * its predecessors, which begin with `initialize`. What the server does wrong becomes an error that names it.
 */
import { createServer } from 'node:net';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { AppError } from '@espalier/plugin-kit';
import { connectDesk } from '../desk/connect-desk.js';
import { createHttpTransport } from './http-transport.js';
import { statelessProtocol } from './protocol.js';
import { ServerProcess } from './server-process.js';
import { StdioTransport } from './stdio-transport.js';

/** How to reach a server: `{folder}` and `{port}` are already filled in. */
export interface ServerSpec {
  /** for messages */
  readonly name: string;
  readonly builtIn?: 'desk' | undefined;
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** streamable HTTP; without it messages go over the input and output of the command */
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'auto' | typeof statelessProtocol | 'handshake';
}

export interface ConnectionLimits {
  readonly startMs: number;
  readonly callMs: number;
  readonly maxMessageBytes: number;
}

/** What a tool answered, or that the server refused the call. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly content: readonly unknown[];
  /** what a program reads, where the tool gives it */
  readonly structured?: unknown;
}

export interface Connection {
  readonly tools: ReadonlyMap<string, Tool>;
  /** the version that both speak */
  readonly version: string;
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  /** @throws where a tool is gone or takes something else */
  checkTools(names: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

interface Link {
  readonly transport: Transport;
  /** where a server that was just started will listen */
  readonly awaited?: string;
  readonly failure: () => string | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server, or reaches one, and asks for its tools.
 *
 * @param signal ends the attempt, and what was started with it
 * @throws plugin.failed, plugin.timeout
 */
export async function connect(
  spec: ServerSpec,
  limits: ConnectionLimits,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    return await connectAs(spec, limits, signal, spec.protocol);
  } catch (error) {
    // some servers end on a request that comes before the handshake
    const isEnded = error instanceof AppError && error.details['ended'] === true;
    if (spec.protocol !== 'auto' || !isEnded || signal.aborted) throw error;
    return connectAs(spec, limits, signal, 'handshake');
  }
}

async function connectAs(
  spec: ServerSpec,
  limits: ConnectionLimits,
  signal: AbortSignal,
  protocol: ServerSpec['protocol'],
): Promise<Connection> {
  const link = await openLink(spec, limits);
  const mode =
    protocol === 'auto' ? protocol : protocol === 'handshake' ? 'legacy' : { pin: statelessProtocol };
  let isChanged = false;
  const client = new Client(
    { name: 'espalier', version: '0.1.0' },
    {
      // a server that says nothing to the newer protocol gets the other half for the handshake
      versionNegotiation: { mode, probe: { timeoutMs: limits.startMs / 2 } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (isChanged = true) } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 20,
    },
  );
  const fail = (operation: string, error: unknown): AppError =>
    failure(spec, operation, error, link.failure());
  const ask = <T>(operation: string, timeout: number, request: () => Promise<T>): Promise<T> =>
    within(timeout, signal, request).catch(async (error: unknown) => {
      throw fail(operation, error);
    });
  const close = async (): Promise<void> => {
    await within(1000, undefined, () => client.close()).catch(() => undefined);
    await link.stop();
  };
  const list = async (): Promise<Map<string, Tool>> => {
    const { tools } = await ask('list the tools', limits.callMs, () =>
      client.listTools(undefined, { timeout: limits.callMs, cacheMode: 'refresh' }),
    );
    return new Map(tools.map((tool) => [tool.name, tool]));
  };
  try {
    await ask('connect', limits.startMs, () => openClient(client, link, limits.startMs, signal));
    const tools = await list();
    isChanged = false;
    return {
      tools,
      version: client.getNegotiatedProtocolVersion() ?? 'unknown',
      close,
      call: (tool, args) =>
        ask(`call ${tool}`, limits.callMs, async () => {
          const options = { timeout: limits.callMs, maxTotalTimeout: limits.callMs, signal };
          return answerOf(await settle(client.callTool({ name: tool, arguments: { ...args } }, options)));
        }),
      checkTools: async (names) => {
        if (!isChanged) return;
        isChanged = false;
        const now = await list();
        for (const name of names) {
          if (JSON.stringify(tools.get(name)?.inputSchema) === JSON.stringify(now.get(name)?.inputSchema))
            continue;
          const how = now.has(name) ? 'takes other arguments now' : 'is gone';
          throw fail(`use ${name}`, new Error(`the list of tools changed during the episode: it ${how}`));
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openLink(spec: ServerSpec, { maxMessageBytes }: ConnectionLimits): Promise<Link> {
  if (spec.builtIn !== undefined)
    return { transport: connectDesk(), failure: () => undefined, stop: () => Promise.resolve() };
  if (spec.command === undefined) {
    const { transport, failure } = createHttpTransport(spec.url!, spec.headers, maxMessageBytes);
    return { transport, failure, stop: () => transport.close() };
  }
  const port = spec.url?.includes('{port}') === true ? String(await freePort()) : '';
  const fill = (text: string): string => text.replaceAll('{port}', port);
  const server = new ServerProcess({
    ...spec,
    command: spec.command,
    args: spec.args.map(fill),
    environment: Object.fromEntries(
      Object.entries(spec.environment).map(([name, text]) => [name, fill(text)]),
    ),
  });
  if (spec.url === undefined) {
    const transport = new StdioTransport(server, maxMessageBytes);
    return { transport, failure: () => transport.failure, stop: () => server.stop() };
  }
  // what it prints is for people
  server.child.stdout?.resume();
  let ended: string | undefined;
  void server.ended.then((finding) => (ended = finding));
  const http = createHttpTransport(fill(spec.url), spec.headers, maxMessageBytes);
  return {
    transport: http.transport,
    awaited: fill(spec.url),
    failure: () => http.failure() ?? ended,
    stop: () => server.stop(),
  };
}

/** Connects; a server that has just been started and listens on a port gets time to do so. */
async function openClient(client: Client, link: Link, timeout: number, signal: AbortSignal): Promise<void> {
  if (link.awaited !== undefined) await untilListening(link.awaited, link, signal);
  await client.connect(link.transport, { timeout });
}

async function untilListening(url: string, link: Link, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const finding = link.failure();
    if (finding !== undefined) throw new Error(finding);
    const isOpen = await fetch(url, { method: 'OPTIONS', signal }).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** An error that the server answered is an answer; anything else is thrown. */
async function settle(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    if (!ProtocolError.isInstance(error)) throw error;
    return { isError: true, content: [{ type: 'text', text: error.message }] };
  }
}

function answerOf(result: unknown): ToolAnswer {
  const { content, isError, structuredContent } = result as Record<string, unknown>;
  return {
    isError: isError === true,
    content: Array.isArray(content) ? (content as unknown[]) : [],
    ...(structuredContent !== undefined && { structured: structuredContent }),
  };
}

class Late extends Error {}

/** Waits for a request; what comes late is dropped. */
async function within<T>(ms: number, signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late()), ms);
    abort = () => reject(new Error('the episode was closed'));
    signal?.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([request(), limit]);
  } finally {
    clearTimeout(timer);
    if (abort !== undefined) signal?.removeEventListener('abort', abort);
  }
}

/** The error of a server: which one, what was asked of it, what it did. */
function failure(spec: ServerSpec, operation: string, error: unknown, finding: string | undefined): AppError {
  const isLate =
    finding === undefined &&
    (error instanceof Late || (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout));
  const message = error instanceof Error ? error.message : String(error);
  const found = finding ?? (isLate ? 'it did not answer in time' : message.slice(0, 400));
  const remedy = isLate
    ? '; raise toolTimeoutMs or startTimeoutMs, or mend the server'
    : '; the episode counts as failed, because the server failed and not the policy';
  return new AppError(
    isLate ? 'plugin.timeout' : 'plugin.failed',
    `${operation}: MCP server "${spec.name}" failed: ${found}${remedy}`,
    { cause: error, details: { server: spec.name, ended: finding !== undefined } },
  );
}
