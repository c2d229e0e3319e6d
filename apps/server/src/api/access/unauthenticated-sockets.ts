/**
 * @file Limits sockets that have not authenticated: in total, per address, in time and in bytes. They cannot slow down
 * authenticated ones.
 */
import type { Duplex } from 'node:stream';
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { networkOf } from '../../core/access/rate-limits.js';

/** Many times the size of a key with its message. */
const mostBytes = 16 * 1024;
/** Longer than the timeouts of socket.io and GraphQL, which close the socket with a reason. */
const mostMs = 7000;

/** A socket that is not authenticated yet. */
export interface PendingSocket {
  /** Starts counting what it sends; call it when its connection has been taken over. */
  watch(): void;
  /** It is authenticated: it is no longer counted or limited. */
  admit(): void;
}

@Injectable()
export class UnauthenticatedSockets {
  private readonly byNetwork = new Map<string, number>();
  private total = 0;

  constructor(@Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'limits'>) {}

  /** Number of unauthenticated sockets. */
  get count(): number {
    return this.total;
  }

  /** Counts a connection until it is admitted or closed. @throws access.limit_exceeded */
  enter(address: string, connection: Duplex): PendingSocket {
    const { unauthenticatedSockets, unauthenticatedSocketsPerAddress } = this.options.limits;
    const network = networkOf(address);
    const own = this.byNetwork.get(network) ?? 0;
    if (own >= unauthenticatedSocketsPerAddress)
      throw tooMany(`${own} sockets from this address`, 'unauthenticatedSocketsPerAddress');
    if (this.total >= unauthenticatedSockets)
      throw tooMany(`${this.total} sockets`, 'unauthenticatedSockets');
    this.byNetwork.set(network, own + 1);
    this.total += 1;
    let bytes = 0;
    const measure = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > mostBytes) connection.destroy();
    };
    const timer = setTimeout(() => connection.destroy(), mostMs).unref();
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      connection.off('data', measure);
      connection.off('close', leave);
      this.forget(network);
    };
    connection.once('close', leave);
    return { watch: () => void (isOver || connection.prependListener('data', measure)), admit: leave };
  }

  private forget(network: string): void {
    this.total -= 1;
    const left = (this.byNetwork.get(network) ?? 1) - 1;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }
}

function tooMany(found: string, setting: string): AppError {
  return new AppError(
    'access.limit_exceeded',
    `open a socket: ${found} are open without a key; try again in a moment, open it with the header authorization, or raise limits.${setting}`,
    { details: { retryAfter: 5 } },
  );
}
