import { Injectable } from '@nestjs/common';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import { type Page, type PagePart, planPage, toPage } from '../../database/page.js';
import { RunReader } from './run-reader.js';

/** A line that the process of a run printed. */
export class LogLine {
  cursor!: number;
  time!: number;
  attempt!: number;
  text!: string;
}

/** Pages of what happened to a run. */
@Injectable()
export class HistoryService {
  constructor(private readonly reader: RunReader) {}

  /** Reads what the process of a run printed, oldest line first. @throws server.invalid_cursor, server.invalid_page */
  async logs(runId: string, part: PagePart): Promise<Page<LogLine>> {
    const plan = planPage(part, { name: 'log', kinds: ['whole'], direction: 'asc' });
    const records = await limitConcurrency(() => this.reader.list(runId, 'log', plan));
    const lines = records.map(({ cursor, time, attempt, body }) => ({
      cursor,
      time,
      attempt,
      text: typeof body['text'] === 'string' ? body['text'] : '',
    }));
    return toPage(
      plan,
      lines,
      ({ cursor }) => [cursor],
      () => limitConcurrency(() => this.reader.count(runId, 'log')),
    );
  }
}
