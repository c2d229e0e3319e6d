import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { RunReader } from '../../core/history/records/run-reader.js';
import { RunChannel } from './run-channel.js';

interface Entry {
  readonly channel: Promise<RunChannel>;
  users: number;
  readonly end: () => void;
}

/** The channels of the runs that are followed now. */
@Injectable()
export class RunChannels implements OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly bus: LiveBus,
    private readonly reader: RunReader,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Opens the channel of a run; every `open` needs a `close`. @throws server.not_found when the run was deleted */
  async open(runId: string): Promise<RunChannel> {
    const entry = this.entries.get(runId) ?? this.create(runId);
    entry.users += 1;
    try {
      return await entry.channel;
    } catch (error) {
      this.close(runId);
      throw error;
    }
  }

  close(runId: string): void {
    const entry = this.entries.get(runId);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    this.entries.delete(runId);
    entry.end();
    void entry.channel.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }

  onApplicationShutdown(): void {
    for (const entry of this.entries.values()) entry.end();
  }

  /** Listens before it reads the newest cursor, so that no record is missed. */
  private create(runId: string): Entry {
    let channel: RunChannel | undefined;
    let isDeleted = false;
    const early: Parameters<RunChannel['add']>[0][] = [];
    const endRecords = this.bus.on('records', runId, ({ records }) => {
      if (channel === undefined) early.push(records);
      else channel.add(records);
    });
    const endDeletion = this.bus.on('runDeleted', runId, () => {
      isDeleted = true;
      channel?.finish();
    });
    const opening = this.reader.head(runId).then((head) => {
      channel = new RunChannel(runId, this.reader, this.options.stream.flushMs, head);
      if (isDeleted) channel.finish();
      else for (const records of early) channel.add(records);
      return channel;
    });
    const end = (): void => {
      endRecords();
      endDeletion();
    };
    const entry = { channel: opening, users: 0, end };
    this.entries.set(runId, entry);
    return entry;
  }
}
