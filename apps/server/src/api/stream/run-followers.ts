/**
 * @file The sockets that follow one run. Those that are up to date share a socket.io room per selection of metrics, and
 * one encoded message; one that is behind gets pages of history until it has caught up; one that does not read gets
 * `gap` when it reads again, and follows from there. When the run is deleted all get `refused`.
 */
import type { StreamGap, StreamProgress } from '@espalier/protocol';
import type { Namespace } from 'socket.io';
import { runNotFound } from '../../core/history/records/find-run.js';
import type { Follower } from './follower.js';
import type { RecordBatch } from './record-batch.js';
import { pageRecords, type RunChannel } from './run-channel.js';

/** May wait to be sent to a follower; one for which more waits reads the history instead. */
const maxBufferedBytes = 64 * 1024;

interface Group {
  readonly room: string;
  readonly names: readonly string[] | undefined;
  readonly followers: Set<Follower>;
}

export class RunFollowers {
  private readonly all = new Set<Follower>();
  private readonly groups = new Map<string, Group>();
  /** have read more from the database than the channel has published */
  private readonly ahead = new Set<Follower>();
  private readonly end: () => void;
  private progressAt = 0;

  constructor(
    private readonly channel: RunChannel,
    private readonly namespace: Namespace,
  ) {
    this.end = channel.listen((batch) => {
      if (batch !== undefined) this.publish(batch);
      else for (const follower of [...this.all]) this.refuse(follower);
    });
  }

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Adds a follower; it gets everything after its cursor, then new records. */
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

  /** Sends the progress of the current step; only the newest matters, so most updates are dropped. */
  sendProgress(progress: StreamProgress): void {
    const now = Date.now();
    if (now - this.progressAt < 100 && progress.done < progress.total) return;
    this.progressAt = now;
    this.namespace.to(this.progressRoom()).volatile.emit('progress', progress);
  }

  close(): void {
    this.end();
    for (const follower of [...this.all]) this.leave(follower);
  }

  private publish(batch: RecordBatch): void {
    for (const group of this.groups.values()) {
      for (const follower of [...group.followers])
        if (follower.bufferedBytes() > maxBufferedBytes) void this.skip(follower, batch.after);
      if (group.followers.size > 0) this.namespace.to(group.room).emit('batch', batch.message(group.names));
    }
    for (const follower of [...this.ahead]) {
      if (batch.cursor < follower.after) continue;
      this.ahead.delete(follower);
      if (batch.cursor > follower.after) follower.send(batch.cut(follower.after));
      this.join(follower);
    }
  }

  private async catchUp(follower: Follower): Promise<void> {
    try {
      while (!follower.isClosed) {
        if (this.channel.isOver) return this.refuse(follower);
        if (follower.after > this.channel.sent) return void this.ahead.add(follower);
        if (follower.after === this.channel.sent) return this.join(follower);
        const { after } = follower;
        const batch = this.channel.after(after) ?? (await this.channel.read(after, pageRecords));
        if (follower.isClosed) return;
        if (batch === undefined) return this.refuse(follower);
        follower.send(batch);
        await follower.drained(maxBufferedBytes / 2);
      }
    } catch {
      // The database is unavailable. A follower that reconnects gets the reason.
      follower.socket.disconnect(true);
    }
  }

  private join(follower: Follower): void {
    const key = follower.names === undefined ? '' : JSON.stringify(follower.names);
    let group = this.groups.get(key);
    if (group === undefined) {
      const room = `run:${this.channel.runId}:${key}`;
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

  /** Skips a follower that was sent everything up to `after` but does not read. */
  private async skip(follower: Follower, after: number): Promise<void> {
    this.leaveGroup(follower);
    follower.after = after;
    await follower.drained(0);
    if (follower.isClosed) return;
    this.leave(follower);
    const gap: StreamGap = { runId: follower.runId, after, head: this.channel.sent };
    follower.socket.emit('gap', gap);
  }

  /** Ends a follower, because the run was deleted. */
  private refuse(follower: Follower): void {
    this.leave(follower);
    const { code, message } = runNotFound(follower.runId);
    follower.socket.emit('refused', { ok: false, code, message });
  }

  private progressRoom(): string {
    return `progress:${this.channel.runId}`;
  }
}
