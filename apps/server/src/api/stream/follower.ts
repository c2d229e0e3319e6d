/** @file A socket that follows a run: its cursor, and how much is buffered for it. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Socket } from 'socket.io';
import type { RecordBatch } from './record-batch.js';

/** The parts of engine.io that show what is not sent yet. */
interface Transport {
  readonly transport?: { readonly socket?: { readonly bufferedAmount?: number } };
  readonly writeBuffer?: readonly { readonly data?: unknown }[];
}

export class Follower {
  isClosed = false;

  /**
   * @param after last cursor it was sent
   * @param names metrics it requested, sorted; undefined: all
   */
  constructor(
    readonly socket: Socket,
    readonly runId: string,
    public after: number,
    readonly names: readonly string[] | undefined,
  ) {}

  send(batch: RecordBatch): void {
    this.socket.emit('batch', batch.message(this.names));
    this.after = batch.cursor;
  }

  /** Bytes buffered for the network. */
  bufferedBytes(): number {
    const { transport, writeBuffer } = this.socket.conn as unknown as Transport;
    let bytes = transport?.socket?.bufferedAmount ?? 0;
    for (const { data } of writeBuffer ?? []) bytes += typeof data === 'string' ? data.length : 64;
    return bytes;
  }

  /** Waits until little is buffered, or until it is closed. */
  async drained(limit: number): Promise<void> {
    await setImmediate();
    for (let wait = 5; !this.isClosed && this.bufferedBytes() > limit; wait = Math.min(200, wait * 2))
      await setTimeout(wait, undefined, { ref: false });
  }
}
