/** @file Sends one hostile request and judges the answer. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { Role, World } from './world.js';

/** A request over HTTP. In `path` and `body` the names of the world stand in braces, such as `{scratch}`. */
export interface HttpCase {
  readonly name: string;
  readonly as?: Role;
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** so many at once; default 1 */
  readonly count?: number;
}

/** Bytes on a connection; what else is to be sent comes after a while. */
export interface RawCase {
  readonly name: string;
  readonly pieces: readonly (string | Buffer)[];
  readonly pauseMs?: number;
}

/** Messages on a socket, in order. Those with an id are answered, unless the server ends the socket. */
export interface SocketCase {
  readonly name: string;
  readonly as?: Role;
  readonly messages: readonly (string | Buffer)[];
  /** of `messages`, ids of those whose answer is waited for */
  readonly answered?: readonly string[];
  /** a code of closing that stands for a fault of the server, and here for one of the library only */
  readonly mayClose?: number;
}

/** What is wrong with an answer; empty where nothing is. */
export type Findings = string[];

/** The longest silence of a server that has not hung; one that goes on answering for ever meets the limit of the test. */
const patienceMs = 15_000;

/** Puts in what only the running suite knows. */
export function fill(text: string, world: World): string {
  return text
    .replaceAll('{scratch}', world.scratch)
    .replaceAll('{heldAttempt}', world.held.attemptId)
    .replaceAll('{heldToken}', String(world.held.token))
    .replaceAll('{heldRun}', world.held.runId);
}

const fillAny = (value: string | Buffer, world: World): string | Buffer =>
  typeof value === 'string' ? fill(value, world) : value;

/** No failure of ours but "come back later". */
export function judge(status: number, text: string): Findings {
  if ((status >= 500 && status !== 503) || text.includes('"server.internal"'))
    return [`${status} ${text.slice(0, 500)}`];
  return [];
}

export async function sendHttp(one: HttpCase, world: World): Promise<Findings> {
  const answers = Array.from({ length: one.count ?? 1 }, () => sendOnce(one, world));
  return (await Promise.all(answers)).flat();
}

function sendOnce({ as = 'admin', method, path, body, headers }: HttpCase, world: World): Promise<Findings> {
  const key = world.keys[as];
  return new Promise((resolve) => {
    const request = httpRequest(`${world.server.url}`, {
      method,
      path: fill(path, world),
      agent: false,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const late = setTimeout(() => {
      resolve([`no answer within ${patienceMs} ms`]);
      request.destroy();
    }, patienceMs);
    request.on('response', (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) =>
        text.length < 1_000_000 ? (text += chunk.toString()) : undefined,
      );
      answer.on('error', () => undefined);
      answer.on('close', () => {
        clearTimeout(late);
        resolve(judge(answer.statusCode ?? 0, text));
      });
    });
    // a server may close the connection before it has read a body that it refuses
    request.on('error', () => {
      clearTimeout(late);
      resolve([]);
    });
    request.end(body === undefined ? undefined : fillAny(body, world));
  });
}

export function sendRaw({ pieces, pauseMs = 5 }: RawCase, world: World): Promise<Findings> {
  const { port } = new URL(world.server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    let said = '';
    const finish = (findings: Findings): void => {
      clearTimeout(late);
      socket.destroy();
      const statuses = [...said.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      resolve([...findings, ...statuses.flatMap((status) => judge(status, said))]);
    };
    const late = setTimeout(() => finish([`open after ${patienceMs} ms`]), patienceMs);
    socket.on('data', (chunk: Buffer) =>
      said.length < 100_000 ? (said += chunk.toString('latin1')) : undefined,
    );
    socket.on('error', () => finish([]));
    socket.on('close', () => finish([]));
    socket.on('connect', () => {
      void (async () => {
        for (const piece of pieces) {
          if (socket.destroyed) return;
          socket.write(fillAny(piece, world));
          await new Promise((done) => setTimeout(done, pauseMs));
        }
        // the side that has said all waits for the answer of the other
        socket.end();
      })();
    });
  });
}

/** How a kind of socket is opened, and what its messages look like. */
export interface SocketProtocol {
  readonly path: string;
  readonly subprotocol?: string;
  greet(key: string | undefined): string[];
  /** what is said to whoever is let in */
  readonly ready: RegExp;
  /** what is said to whoever is not, where the socket stays open */
  readonly refused?: RegExp;
  /** the message that a text answers */
  idOf(text: string): string | undefined;
  pong?(text: string): string | undefined;
  /** a message that is answered whatever came before */
  readonly last: string;
  readonly lastId: string;
}

/** Opens a socket of either kind, says what is to be said, and waits for the answers. */
export function sendSocket(one: SocketCase, world: World, protocol: SocketProtocol): Promise<Findings> {
  const { as = 'admin', messages, answered = [], mayClose } = one;
  const socket = new WebSocket(
    `${world.server.url.replace('http', 'ws')}${protocol.path}`,
    protocol.subprotocol,
  );
  const open = new Set([...answered, protocol.lastId]);
  return new Promise((resolve) => {
    const findings: Findings = [];
    let isReady = false;
    const finish = (more: Findings = []): void => {
      clearTimeout(late);
      socket.terminate();
      resolve([...findings, ...more]);
    };
    const late = setTimeout(
      () => finish([`no answer for ${patienceMs} ms, nor closed: ${[...open].join(', ')}`]),
      patienceMs,
    );
    const speak = async (): Promise<void> => {
      for (const message of [...messages, protocol.last]) {
        if (socket.readyState !== socket.OPEN) return;
        socket.send(fillAny(message, world));
        // what has been taken in is bounded, and the other side is to have its turn
        if (socket.bufferedAmount > 4_000_000) await new Promise((done) => setTimeout(done, 20));
      }
    };
    socket.on('error', () => undefined);
    socket.on('close', (code) =>
      finish((code === 1011 || code === 4500) && code !== mayClose ? [`closed with ${code}`] : []),
    );
    socket.on('open', () => {
      for (const greeting of protocol.greet(world.keys[as])) socket.send(greeting);
    });
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.includes('server.internal')) findings.push(text.slice(0, 500));
      const pong = protocol.pong?.(text);
      if (pong !== undefined) socket.send(pong);
      if (protocol.refused?.test(text) === true) void speak().then(() => setTimeout(finish, 50));
      if (!isReady && protocol.ready.test(text)) {
        isReady = true;
        void speak();
      }
      const id = protocol.idOf(text);
      if (id !== undefined) {
        late.refresh();
        open.delete(id);
      }
      if (open.size === 0) finish();
    });
  });
}

/** socket.io, in its own words: packets of engine.io 4 over a websocket. */
export const socketIo = (namespace: string): SocketProtocol => ({
  path: '/socket.io/?EIO=4&transport=websocket',
  greet: (key) => [`40${namespace},${JSON.stringify(key === undefined ? {} : { key })}`],
  ready: new RegExp(`^40${namespace}`),
  refused: new RegExp(`^44${namespace}`),
  idOf: (text) => new RegExp(`^43${namespace},(\\d+)`).exec(text)?.[1],
  pong: (text) => (text === '2' ? '3' : undefined),
  last: `42${namespace},777["nothing-of-that-name",{}]`,
  lastId: '777',
});

/** The protocol graphql-transport-ws. */
export const graphqlWs: SocketProtocol = {
  path: '/graphql',
  subprotocol: 'graphql-transport-ws',
  greet: (key) => [JSON.stringify({ type: 'connection_init', payload: key === undefined ? {} : { key } })],
  ready: /"connection_ack"/,
  idOf: (text) => /^\{"id":"([^"]+)"/.exec(text)?.[1],
  last: JSON.stringify({ type: 'subscribe', id: 'last', payload: { query: '{ __typename }' } }),
  lastId: 'last',
};
