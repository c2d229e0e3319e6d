import { Injectable } from '@nestjs/common';
import { inTurn } from '../../database/in-turn.js';
import { decodeCursor, type Page, type PagePart, requirePageSize, toPage } from '../../database/page.js';
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

  /** Reads what the process of a run printed, in order. @throws server.bad_cursor, server.bad_page */
  async logs(runId: string, { first, after }: PagePart): Promise<Page<LogLine>> {
    requirePageSize(first);
    const [start] = decodeCursor(after, ['whole']) ?? [0];
    const { records } = await inTurn(() => this.reader.page(runId, Number(start), first + 1, ['log']));
    const lines = records.map(({ cursor, time, attempt, body }) => ({
      ...{ cursor, time, attempt },
      text: typeof body['text'] === 'string' ? body['text'] : '',
    }));
    return toPage(lines, first, ({ cursor }) => [cursor]);
  }
}
