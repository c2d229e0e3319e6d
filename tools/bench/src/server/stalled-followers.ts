/** @file Followers over real sockets, and those among them who never read what they are sent. */
import { AppError } from '@espalier/contracts';
import type { FollowAnswer } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';

/** Where to follow, and with which key. */
export interface StreamAddress {
  readonly url: string;
  readonly adminKey: string;
}

/** Connects to the stream of a server. */
export function connectFollower({ url, adminKey }: StreamAddress): Socket {
  return io(`${url}/stream`, {
    auth: { key: adminKey },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
}

/** Follows a run. @returns the cursor of its last record */
export async function followRun(socket: Socket, runId: string, after: number): Promise<number> {
  const answer = (await socket.emitWithAck('follow', { runId, after })) as FollowAnswer;
  if (answer.ok) return answer.head;
  throw new AppError('bench.item_failed', `follow run ${runId} after cursor ${after}: ${answer.message}`);
}

/** Connections to a server that will not be read. */
export interface StalledFollowers {
  /** All follow a run and read no more. @param after last cursor they have; default: its newest record's */
  stall(runId: string, after?: number): Promise<void>;
  /** All read again; gives how many of them receive `gap`. */
  countSkipped(): Promise<number>;
  close(): void;
}

/** Connects followers that read until `stall`. */
export async function connectStalled(address: StreamAddress, count: number): Promise<StalledFollowers> {
  const sockets = Array.from({ length: count }, () => connectFollower(address));
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once('connect', resolve))));
  return {
    async stall(runId, after) {
      const [first] = sockets;
      if (first === undefined) return;
      // one of them learns the newest cursor: all of them would be sent the history meanwhile
      const begin = after ?? (await followRun(first, runId, 0));
      await Promise.all(sockets.map((socket) => followRun(socket, runId, begin)));
      for (const socket of sockets) tcpOf(socket).pause();
    },
    async countSkipped() {
      let skipped = 0;
      for (const socket of sockets) {
        socket.on('gap', () => (skipped += 1));
        tcpOf(socket).resume();
      }
      for (let tries = 0; tries < 100 && skipped < sockets.length; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return skipped;
    },
    close() {
      for (const socket of sockets) socket.disconnect();
    },
  };
}

function tcpOf(socket: Socket): { pause(): void; resume(): void } {
  const transport = socket.io.engine.transport as unknown as {
    ws: { _socket: { pause(): void; resume(): void } };
  };
  return transport.ws._socket;
}
