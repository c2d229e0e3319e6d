import { Injectable } from '@nestjs/common';
import type { Namespace } from 'socket.io';
import { LiveBus } from '../../core/database/live-bus.js';
import type { Follower } from './follower.js';
import { RunChannels } from './run-channels.js';
import { RunFollowers } from './run-followers.js';

/** The runs that are followed over socket.io. */
@Injectable()
export class FollowedRuns {
  private readonly runs = new Map<string, { readonly followers: RunFollowers; readonly end: () => void }>();

  constructor(
    private readonly channels: RunChannels,
    private readonly bus: LiveBus,
  ) {}

  async enter(namespace: Namespace, follower: Follower): Promise<void> {
    const { runId } = follower;
    const channel = await this.channels.open(runId);
    if (follower.isClosed) return this.channels.close(runId);
    let entry = this.runs.get(runId);
    if (entry === undefined) {
      const followers = new RunFollowers(channel, namespace);
      const end = this.bus.on('progress', runId, (progress) => followers.sendProgress(progress));
      this.runs.set(runId, (entry = { followers, end }));
    } else this.channels.close(runId); // the followers of a run hold its channel once
    entry.followers.enter(follower);
  }

  /** May be called twice. */
  leave(follower: Follower): void {
    const entry = this.runs.get(follower.runId);
    follower.isClosed = true;
    if (entry === undefined) return;
    entry.followers.leave(follower);
    if (!entry.followers.isEmpty) return;
    this.runs.delete(follower.runId);
    entry.followers.close();
    entry.end();
    this.channels.close(follower.runId);
  }

  close(): void {
    for (const { followers, end } of this.runs.values()) {
      followers.close();
      end();
    }
    this.runs.clear();
  }
}
