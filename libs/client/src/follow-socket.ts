/**
 * @file The socket of a follower. socket.io reconnects after network failures, but not when the server closes the socket
 * (it shuts down, its database is unavailable, the key was revoked) or rejects it; this file handles these cases.
 */
import type { StreamBatch, StreamProgress } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import { type Connection, refused, unreachable } from './connection.js';
import type { Inbox } from './inbox.js';

/** Rejections that a retry cannot change. */
const finalCodes = ['access.unauthenticated', 'access.denied'];
const shortestWaitMs = 250;
const longestWaitMs = 10_000;
/** of several addresses, tries before the first connection is given up */
const maxTries = 30;

export interface FollowSocket {
  readonly socket: Socket;
  /** Reconnects after a delay, which grows until `resetDelay`. */
  retry(): void;
  /** Makes the next delay short again, because the server serves requests. */
  resetDelay(): void;
  close(): void;
}

interface Rejection {
  readonly code?: string;
  readonly message?: string;
}

/** Opens the socket. It puts all messages into the inbox and calls `follow` on each new connection. */
export function openFollowSocket(
  connection: Connection,
  inbox: Inbox,
  { follow, onProgress }: { follow(): void; onProgress?: ((progress: StreamProgress) => void) | undefined },
): FollowSocket {
  const socket = io(`${connection.url}/stream`, {
    auth: { key: connection.key },
    transports: ['websocket'],
    forceNew: true,
  });
  let wasConnected = false;
  let tries = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let rejection: Rejection | undefined; // why the server is about to close the socket
  const retry = (): void => {
    const delay = Math.min(longestWaitMs, shortestWaitMs * 2 ** Math.min(failures++, 10));
    socket.disconnect();
    clearTimeout(timer);
    timer = setTimeout(() => void socket.connect(), delay * (0.5 + Math.random()));
  };
  /** The next connection goes to the next address. The manager of socket.io has no public way for that. */
  const moveOn = (): void => {
    if (connection.count === 1) return;
    connection.moveOn(connection.url);
    const { protocol, hostname, port, origin } = new URL(connection.url);
    // it would keep the port of the last address where this one has none
    socket.io.opts.port = port === '' ? (protocol === 'https:' ? 443 : 80) : port;
    Object.assign(socket.io.opts, { hostname, secure: protocol === 'https:' });
    Object.assign(socket.io as unknown as { uri: string }, { uri: origin });
  };
  socket.on('connect', () => {
    wasConnected = true;
    tries = 0;
    rejection = undefined;
    follow();
  });
  socket.on('batch', (batch: StreamBatch, done?: () => void) => {
    inbox.put({ batch });
    done?.();
  });
  socket.on('gap', () => inbox.put({ behind: true }));
  if (onProgress !== undefined) socket.on('progress', onProgress);
  socket.on('refused', (answer: Rejection) => {
    rejection = answer;
    // the run was deleted; the socket stays open
    if (answer.code === 'server.not_found') inbox.put({ error: refused(answer.code, answer.message ?? '') });
  });
  socket.on('disconnect', (reason) => {
    moveOn();
    if (reason !== 'io server disconnect') return;
    const { code = '', message = '' } = rejection ?? {};
    if (finalCodes.includes(code)) inbox.put({ error: refused(code, message) });
    else retry();
  });
  socket.on('connect_error', (error: Error & { data?: Rejection }) => {
    const code = error.data?.code;
    moveOn();
    if (code === undefined && connection.count > 1 && (tries += 1) <= maxTries) {
      if (!socket.active) retry();
      return;
    }
    if (code !== undefined && (!wasConnected || finalCodes.includes(code)))
      inbox.put({ error: refused(code, error.message) });
    else if (!wasConnected) inbox.put({ error: unreachable(connection.url, error) });
    else if (!socket.active) retry();
  });
  return {
    socket,
    retry,
    resetDelay: () => void (failures = 0),
    close() {
      clearTimeout(timer);
      socket.disconnect();
    },
  };
}
