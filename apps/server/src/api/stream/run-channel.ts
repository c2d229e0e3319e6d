/**
 * @file New records of one run for all its followers: collects records for a short time, then publishes them as one
 * batch. The newest batches stay in memory; followers further behind read the database. Records that arrive out of
 * order are read from the database too, so that batches are consecutive.
 */
import type { RunReader } from '../../core/history/records/run-reader.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import { RecordBatch } from './record-batch.js';

const maxBatches = 100;
/** total size of these batches: rows may have one metric or hundreds */
const maxSize = 100_000;
/**
 * size of one message to a follower that is behind, about 200 kB: each of hundreds of stalled followers may hold one
 */
const maxMergedSize = 10_000;
/** of one page of history, about 1 MB: hundreds of rows of metrics, or dozens of long lines of a log */
const maxPageSize = 50_000;
const maxPending = 2000;
/** Records read at once for a follower that is behind. */
export const pageRecords = 200;

export class RunChannel {
  private pending: RunRecord[] = [];
  private newest: number;
  private hasGap = false;
  private isFilling = false;
  /** the run was deleted */
  isOver = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  private batches: RecordBatch[] = [];
  /** size of a record of the page read last, so that not much more is read than fits */
  private weight = 1;
  /** batches merged since the newest one, by their start */
  private readonly merged = new Map<number, RecordBatch>();
  private readonly listeners = new Set<(batch: RecordBatch | undefined) => void>();

  /** @param sent cursor of the newest record; later ones are published */
  constructor(
    readonly runId: string,
    private readonly reader: RunReader,
    private readonly flushMs: number,
    public sent: number,
  ) {
    this.newest = sent;
  }

  /**
   * Calls back for every batch as it is published, and with undefined when the run is deleted; listeners must be fast.
   * Returns a function that ends it.
   */
  listen(listener: (batch: RecordBatch | undefined) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Adds committed records. */
  add(records: readonly RunRecord[]): void {
    for (const record of records) {
      if (record.cursor <= this.sent) continue;
      const expected = this.pending.at(-1)?.cursor ?? this.sent;
      if (record.cursor === expected + 1 && !this.hasGap) this.pending.push(record);
      else if (record.cursor > expected) this.hasGap = true;
      this.newest = Math.max(this.newest, record.cursor);
    }
    if (this.newest <= this.sent) return;
    if (this.pending.length >= maxPending) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.flushMs);
  }

  /**
   * Returns the records after a cursor from memory, several batches as one; undefined if memory does not reach back so
   * far. Followers with the same cursor get the same object, whose messages are built once.
   */
  after(cursor: number): RecordBatch | undefined {
    const known = this.merged.get(cursor);
    if (known !== undefined) return known;
    const first = this.batches.findIndex((batch) => batch.after <= cursor && cursor < batch.cursor);
    if (first === -1) return undefined;
    const begin = this.batches[first]?.cut(cursor).begin(maxMergedSize);
    if (begin === undefined) return undefined;
    const parts = [begin];
    let size = begin.size;
    const next = begin.cursor === this.batches[first]?.cursor ? first + 1 : this.batches.length;
    for (const part of this.batches.slice(next)) {
      size += part.size;
      if (size > maxMergedSize) break;
      parts.push(part);
    }
    const records = parts.flatMap((part) => part.records);
    const last = parts.at(-1) ?? begin;
    const batch = parts.length === 1 ? begin : new RecordBatch(this.runId, cursor, last.cursor, records);
    this.merged.set(cursor, batch);
    return batch;
  }

  /**
   * Reads the records after a cursor from the database, at most a page; undefined if there are none. None after a cursor
   * before `sent` means that the run was deleted.
   */
  async read(after: number, records: number): Promise<RecordBatch | undefined> {
    const fitting = Math.ceil(maxPageSize / this.weight);
    const page = await this.reader.page(this.runId, after, Math.min(records, fitting));
    if (page.cursor <= after) return undefined;
    const batch = new RecordBatch(this.runId, after, page.cursor, page.records);
    this.weight = Math.max(1, batch.size / Math.max(1, page.records.length));
    return batch.begin(maxPageSize);
  }

  /** Ends it, because the run was deleted. */
  finish(): void {
    this.isOver = true;
    for (const listener of this.listeners) listener(undefined);
    this.batches = [];
    this.merged.clear();
    this.close();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length > 0) {
      const records = this.pending;
      this.pending = [];
      this.publish(new RecordBatch(this.runId, this.sent, records.at(-1)?.cursor ?? this.sent, records));
    }
    if (this.hasGap) void this.fill();
  }

  private publish(batch: RecordBatch): void {
    this.sent = batch.cursor;
    this.merged.clear();
    this.batches.push(batch);
    let kept = this.batches.reduce((sum, { size }) => sum + size, 0);
    while (this.batches.length > maxBatches || (kept > maxSize && this.batches.length > 1))
      kept -= this.batches.shift()?.size ?? 0;
    for (const listener of this.listeners) listener(batch);
  }

  /** Reads the records that did not arrive in order. */
  private async fill(): Promise<void> {
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (!this.isClosed && this.sent < this.newest) {
        const { cursor, records } = await this.reader.page(this.runId, this.sent, 500);
        if (this.isClosed || cursor <= this.sent) break;
        this.publish(new RecordBatch(this.runId, this.sent, cursor, records));
      }
      this.hasGap = this.sent < this.newest;
    } catch {
      // The database is unavailable: the next flush reads what is missing.
    } finally {
      this.isFilling = false;
    }
    if (this.hasGap && !this.isClosed) this.timer ??= setTimeout(() => this.flush(), 1000);
  }
}
