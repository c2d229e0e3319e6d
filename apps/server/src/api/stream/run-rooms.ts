import { Inject, Injectable } from '@nestjs/common';
import type { Namespace } from 'socket.io';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { LiveBus } from '../../core/database/live-bus.js';
import type { Follower } from './follower.js';
import { RunHubs } from './run-hubs.js';
import { RunRoom } from './run-room.js';

/** The rooms of the runs that are followed over socket.io. */
@Injectable()
export class RunRooms {
  private readonly rooms = new Map<string, { readonly room: RunRoom; readonly end: () => void }>();

  constructor(
    private readonly hubs: RunHubs,
    private readonly bus: LiveBus,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  async enter(namespace: Namespace, follower: Follower): Promise<void> {
    const { runId } = follower;
    const hub = await this.hubs.open(runId);
    if (follower.isClosed) return this.hubs.close(runId);
    let entry = this.rooms.get(runId);
    if (entry === undefined) {
      const room = new RunRoom(hub, { namespace, options: this.options.stream });
      const end = this.bus.on('progress', runId, (progress) => room.tellProgress(progress));
      this.rooms.set(runId, (entry = { room, end }));
    } else this.hubs.close(runId); // the room holds the hub once
    entry.room.enter(follower);
  }

  /** May be called twice. */
  leave(follower: Follower): void {
    const entry = this.rooms.get(follower.runId);
    follower.isClosed = true;
    if (entry === undefined) return;
    entry.room.leave(follower);
    if (!entry.room.isEmpty) return;
    this.rooms.delete(follower.runId);
    entry.room.close();
    entry.end();
    this.hubs.close(follower.runId);
  }

  close(): void {
    for (const { room, end } of this.rooms.values()) {
      room.close();
      end();
    }
    this.rooms.clear();
  }
}
