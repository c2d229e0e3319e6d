/**
 * @file What is new about one run, for all who follow it: gathers records for a short while, then hands them on as
 * one span. The newest spans stay in memory; whoever is further behind reads the database. Records that were heard
 * of out of order are read from the database too, so that spans follow on each other without gap or overlap.
 */
import type { RunReader } from '../../core/history/records/run-reader.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import { RecordSpan } from './record-span.js';

const keptSpans = 100;
/** sizes of spans: rows may have one metric or hundreds */
const keptSize = 100_000;
/** of one message to somebody behind, about 200 kB: every one of hundreds who stall may hold one */
const mostMerged = 10_000;
/** of one page of history, about 1 MB: hundreds of rows of metrics, or dozens of long lines of a log */
const mostOfPage = 50_000;
const mostGathered = 2000;

export class RunHub {
  private pending: RunRecord[] = [];
  private heard: number;
  private isHoled = false;
  private isFilling = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  private spans: RecordSpan[] = [];
  /** size of a record of the page read last, so that not much more is read than fits */
  private weight = 1;
  /** what was merged since the newest span, by where it begins */
  private readonly merged = new Map<number, RecordSpan>();
  private readonly listeners = new Set<(span: RecordSpan) => void>();

  /** @param sent cursor of the newest record; what comes later is handed on */
  constructor(
    readonly runId: string,
    private readonly reader: RunReader,
    private readonly flushMs: number,
    public sent: number,
  ) {
    this.heard = sent;
  }

  /** Calls for every span, right when it is made; listeners must be quick. Returns what ends it. */
  listen(listener: (span: RecordSpan) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Hears of committed records. */
  add(records: readonly RunRecord[]): void {
    for (const record of records) {
      if (record.cursor <= this.sent) continue;
      const expected = this.pending.at(-1)?.cursor ?? this.sent;
      if (record.cursor === expected + 1 && !this.isHoled) this.pending.push(record);
      else if (record.cursor > expected) this.isHoled = true;
      this.heard = Math.max(this.heard, record.cursor);
    }
    if (this.heard <= this.sent) return;
    if (this.pending.length >= mostGathered) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.flushMs);
  }

  /**
   * Gives what comes after a cursor, from memory, several spans as one; undefined when memory does not reach back so
   * far. Those who are equally far behind get the same object, whose batches are made once.
   */
  after(cursor: number): RecordSpan | undefined {
    const known = this.merged.get(cursor);
    if (known !== undefined) return known;
    const first = this.spans.findIndex((span) => span.after <= cursor && cursor < span.cursor);
    if (first === -1) return undefined;
    const begin = this.spans[first]?.cut(cursor).begin(mostMerged);
    if (begin === undefined) return undefined;
    const parts = [begin];
    let size = begin.size;
    const next = begin.cursor === this.spans[first]?.cursor ? first + 1 : this.spans.length;
    for (const part of this.spans.slice(next)) {
      size += part.size;
      if (size > mostMerged) break;
      parts.push(part);
    }
    const records = parts.flatMap((part) => part.records);
    const last = parts.at(-1) ?? begin;
    const span = parts.length === 1 ? begin : new RecordSpan(this.runId, cursor, last.cursor, records);
    this.merged.set(cursor, span);
    return span;
  }

  /** Reads what comes after a cursor from history, a page at most; undefined when there is nothing. */
  async read(after: number, records: number): Promise<RecordSpan | undefined> {
    const fitting = Math.ceil(mostOfPage / this.weight);
    const page = await this.reader.page(this.runId, after, Math.min(records, fitting));
    if (page.cursor <= after) return undefined;
    const span = new RecordSpan(this.runId, after, page.cursor, page.records);
    this.weight = Math.max(1, span.size / Math.max(1, page.records.length));
    return span.begin(mostOfPage);
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
      this.hand(new RecordSpan(this.runId, this.sent, records.at(-1)?.cursor ?? this.sent, records));
    }
    if (this.isHoled) void this.fill();
  }

  private hand(span: RecordSpan): void {
    this.sent = span.cursor;
    this.merged.clear();
    this.spans.push(span);
    let kept = this.spans.reduce((sum, { size }) => sum + size, 0);
    while (this.spans.length > keptSpans || (kept > keptSize && this.spans.length > 1))
      kept -= this.spans.shift()?.size ?? 0;
    for (const listener of this.listeners) listener(span);
  }

  /** Reads what was not heard of in order. */
  private async fill(): Promise<void> {
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (!this.isClosed && this.sent < this.heard) {
        const { cursor, records } = await this.reader.page(this.runId, this.sent, 500);
        if (this.isClosed || cursor <= this.sent) break;
        this.hand(new RecordSpan(this.runId, this.sent, cursor, records));
      }
      this.isHoled = this.sent < this.heard;
    } catch {
      // The database is away: what is missing is read with the next flush.
    } finally {
      this.isFilling = false;
    }
    if (this.isHoled && !this.isClosed) this.timer ??= setTimeout(() => this.flush(), 1000);
  }
}
