/**
 * @file The socket of a follower. socket.io connects again by itself when the network breaks, but not when the server
 * closes the socket (it stops, its database is away, the key was revoked) or refuses it; that is done here.
 */
import type { StreamBatch, StreamProgress } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import { type Connection, refused, unreachable } from './connection.js';
import type { Inbox } from './inbox.js';

/** Refusals that would come again on each try. */
const finalCodes = ['access.unauthenticated', 'access.denied'];
const [shortestWaitMs, longestWaitMs] = [250, 10_000];

export interface FollowSocket {
  readonly socket: Socket;
  /** Connects anew in a while, longer each time until `settle`. */
  retry(): void;
  /** The server does what it is asked for: the next wait is short again. */
  settle(): void;
  close(): void;
}

interface Told {
  readonly code?: string;
  readonly message?: string;
}

/** Opens the socket; what comes lies in the inbox, and `follow` is called on each new connection. */
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
  let [wasConnected, failures] = [false, 0];
  let timer: NodeJS.Timeout | undefined;
  let told: Told | undefined; // why the server is about to close the socket
  const retry = (): void => {
    const delay = Math.min(longestWaitMs, shortestWaitMs * 2 ** Math.min(failures++, 10));
    socket.disconnect();
    clearTimeout(timer);
    timer = setTimeout(() => void socket.connect(), delay * (0.5 + Math.random()));
  };
  socket.on('connect', () => {
    [wasConnected, told] = [true, undefined];
    follow();
  });
  socket.on('batch', (batch: StreamBatch, done?: () => void) => {
    inbox.put({ batch });
    done?.();
  });
  socket.on('gap', () => inbox.put({ behind: true }));
  if (onProgress !== undefined) socket.on('progress', onProgress);
  socket.on('refused', (answer: Told) => (told = answer));
  socket.on('disconnect', (reason) => {
    if (reason !== 'io server disconnect') return;
    const { code = '', message = '' } = told ?? {};
    if (finalCodes.includes(code)) inbox.put({ error: refused(code, message) });
    else retry();
  });
  socket.on('connect_error', (error: Error & { data?: Told }) => {
    const code = error.data?.code;
    if (code !== undefined && (!wasConnected || finalCodes.includes(code)))
      inbox.put({ error: refused(code, error.message) });
    else if (!wasConnected) inbox.put({ error: unreachable(connection.url, error) });
    else if (!socket.active) retry();
  });
  return {
    socket,
    retry,
    settle: () => void (failures = 0),
    close() {
      clearTimeout(timer);
      socket.disconnect();
    },
  };
}
