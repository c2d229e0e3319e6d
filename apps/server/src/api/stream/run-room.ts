/**
 * @file The sockets that follow one run. Those that are up to date sit in a room per choice of metrics and share one
 * encoded message; one that is behind is fed pages of history until it has caught up; one that does not read is told
 * `gap` when it reads again, and follows anew from there.
 */
import type { StreamGap, StreamProgress } from '@espalier/protocol';
import type { Namespace } from 'socket.io';
import type { StreamOptions } from '../../config/stream-options.js';
import type { Follower } from './follower.js';
import type { RecordSpan } from './record-span.js';
import type { RunHub } from './run-hub.js';

/** What a room of one run needs from the rest of the server. */
export interface RoomPlace {
  readonly namespace: Namespace;
  readonly options: StreamOptions;
}

interface Group {
  readonly room: string;
  readonly names: readonly string[] | undefined;
  readonly followers: Set<Follower>;
}

export class RunRoom {
  private readonly all = new Set<Follower>();
  private readonly groups = new Map<string, Group>();
  /** have read more from the database than the hub has handed on */
  private readonly ahead = new Set<Follower>();
  private readonly end: () => void;
  private progressAt = 0;

  constructor(
    private readonly hub: RunHub,
    private readonly place: RoomPlace,
  ) {
    this.end = hub.listen((span) => this.hand(span));
  }

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Lets a follower in; it gets everything after its cursor, and then what is new. */
  enter(follower: Follower): void {
    this.all.add(follower);
    void follower.socket.join(this.progressRoom());
    void this.catchUp(follower);
  }

  leave(follower: Follower): void {
    follower.isClosed = true;
    this.all.delete(follower);
    this.ahead.delete(follower);
    this.leaveGroup(follower);
    void follower.socket.leave(this.progressRoom());
  }

  /** Tells where the present step is; only the newest matters, so most are left out. */
  tellProgress(progress: StreamProgress): void {
    const now = Date.now();
    if (now - this.progressAt < 100 && progress.done < progress.total) return;
    this.progressAt = now;
    this.place.namespace.to(this.progressRoom()).volatile.emit('progress', progress);
  }

  close(): void {
    this.end();
    for (const follower of [...this.all]) this.leave(follower);
  }

  private hand(span: RecordSpan): void {
    const limit = this.place.options.bufferKb * 1024;
    for (const group of this.groups.values()) {
      for (const follower of [...group.followers])
        if (follower.bufferedBytes() > limit) void this.putOff(follower, span.after);
      if (group.followers.size > 0)
        this.place.namespace.to(group.room).emit('batch', span.batch(group.names));
    }
    for (const follower of [...this.ahead]) {
      if (span.cursor < follower.after) continue;
      this.ahead.delete(follower);
      if (span.cursor > follower.after) follower.send(span.cut(follower.after));
      this.join(follower);
    }
  }

  private async catchUp(follower: Follower): Promise<void> {
    const { options } = this.place;
    try {
      while (!follower.isClosed) {
        if (follower.after > this.hub.sent) return void this.ahead.add(follower);
        if (follower.after === this.hub.sent) return this.join(follower);
        const { after } = follower;
        const span = this.hub.after(after) ?? (await this.hub.read(after, options.pageRecords));
        if (follower.isClosed) return;
        if (span !== undefined) follower.send(span);
        await follower.drained(options.bufferKb * 512);
      }
    } catch {
      // The database is away. A follower that asks again gets the reason.
      follower.socket.disconnect(true);
    }
  }

  private join(follower: Follower): void {
    const key = follower.names === undefined ? '' : JSON.stringify(follower.names);
    let group = this.groups.get(key);
    if (group === undefined) {
      const room = `run:${this.hub.runId}:${key}`;
      this.groups.set(key, (group = { room, names: follower.names, followers: new Set() }));
    }
    group.followers.add(follower);
    void follower.socket.join(group.room);
  }

  private leaveGroup(follower: Follower): void {
    for (const [key, group] of this.groups) {
      if (!group.followers.delete(follower)) continue;
      void follower.socket.leave(group.room);
      if (group.followers.size === 0) this.groups.delete(key);
    }
  }

  /** It was sent everything up to `after`, and does not read. */
  private async putOff(follower: Follower, after: number): Promise<void> {
    this.leaveGroup(follower);
    follower.after = after;
    await follower.drained(0);
    if (follower.isClosed) return;
    this.leave(follower);
    const gap: StreamGap = { runId: follower.runId, after, head: this.hub.sent };
    follower.socket.emit('gap', gap);
  }

  private progressRoom(): string {
    return `progress:${this.hub.runId}`;
  }
}
