import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { RunReader } from '../../core/history/records/run-reader.js';
import { RunHub } from './run-hub.js';

interface Entry {
  readonly hub: Promise<RunHub>;
  users: number;
  readonly end: () => void;
}

/** The hubs of the runs that somebody follows now. */
@Injectable()
export class RunHubs implements OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly bus: LiveBus,
    private readonly reader: RunReader,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Records read at once for whoever is behind. */
  get pageRecords(): number {
    return this.options.stream.pageRecords;
  }

  /** Gives the hub of a run; every `open` needs its `close`. */
  async open(runId: string): Promise<RunHub> {
    const entry = this.entries.get(runId) ?? this.create(runId);
    entry.users += 1;
    try {
      return await entry.hub;
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
    void entry.hub.then(
      (hub) => hub.close(),
      () => undefined,
    );
  }

  onApplicationShutdown(): void {
    for (const entry of this.entries.values()) entry.end();
  }

  /** Listens before it reads the newest cursor, so that nothing falls between. */
  private create(runId: string): Entry {
    let hub: RunHub | undefined;
    const early: Parameters<RunHub['add']>[0][] = [];
    const end = this.bus.on('records', runId, ({ records }) => {
      if (hub === undefined) early.push(records);
      else hub.add(records);
    });
    const opening = this.reader.head(runId).then((head) => {
      hub = new RunHub(runId, this.reader, this.options.stream.flushMs, head);
      for (const records of early) hub.add(records);
      return hub;
    });
    const entry = { hub: opening, users: 0, end };
    this.entries.set(runId, entry);
    return entry;
  }
}
