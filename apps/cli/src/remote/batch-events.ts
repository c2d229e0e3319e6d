/** @file Converts a batch of the live stream to the events that the views of `train` draw. */
import type { RunEvent, RunOutcome } from '@espalier/contracts';
import type {
  ChangedSetting,
  HealthFinding,
  HealthState,
  HealthSummary,
  MonitorAction,
} from '@espalier/contracts/health';
import type { StreamBatch, StreamProgress, StreamRecord } from '@espalier/protocol';
import type { LevelChange } from '../view/level-lines.js';

/** Something for a view: an event, or a sentence about the state of the run. */
export type ViewItem = { readonly event: RunEvent } | { readonly say: string };

/** Returns the events of a batch, in order. */
export function readBatch({ runId, metrics, records }: StreamBatch): ViewItem[] {
  const rows = metrics.cursors.map((cursor, row) => ({ cursor, item: metricRow(metrics, row) }));
  const others = records.flatMap((record) => {
    const item = readRecord(runId, record);
    return item === undefined ? [] : [{ cursor: record.cursor, item }];
  });
  return [...rows, ...others].sort((a, b) => a.cursor - b.cursor).map(({ item }) => item);
}

/** Gives the event of a sign of progress. */
export function progressEvent({ step, phase, done, total }: StreamProgress): RunEvent {
  return { kind: 'phase', time: Date.now(), step, phase, done, total };
}

function metricRow({ steps, times, values }: StreamBatch['metrics'], row: number): ViewItem {
  const present = Object.entries(values).flatMap(([name, column]) => {
    const value = column[row];
    return typeof value === 'number' ? [[name, value] as const] : [];
  });
  const [step = 0, time = 0] = [steps[row], times[row]];
  return { event: { kind: 'metrics', step, time, values: Object.fromEntries(present) } };
}

function readRecord(runId: string, { kind, time, step, attempt, body }: StreamRecord): ViewItem | undefined {
  const text = (name: string): string => String(body[name] ?? '');
  switch (kind) {
    case 'state':
      if (body['job'] === 'evaluate' || body['job'] === 'chat') return undefined;
      return { say: text('message') === '' ? text('to') : `${text('to')}: ${text('message')}` };
    case 'run-started':
      return { event: { kind, time, step, runId, attempt, steps: Number(body['steps']) } };
    case 'checkpoint':
      return { event: { kind, time, step, folder: text('folder') } };
    case 'level':
      return { event: { kind, time, step, ...levelOf(body) } };
    case 'warning':
      return { event: { kind, time, step, code: text('code'), message: text('message') } };
    case 'monitor':
      return {
        event: {
          kind,
          time,
          step,
          state: body['state'] as HealthState,
          previous: body['previous'] as HealthState,
          action: (body['action'] ?? null) as MonitorAction | null,
          restored: (body['restored'] ?? null) as number | null,
          changes: (body['changes'] ?? []) as ChangedSetting[],
          findings: (body['findings'] ?? []) as HealthFinding[],
          message: text('message'),
        },
      };
    case 'run-ended': {
      const outcome = body['outcome'] as RunOutcome;
      const health = (body['health'] ?? undefined) as HealthSummary | undefined;
      return { event: { kind, time, step, outcome, message: text('message'), ...(health && { health }) } };
    }
    default:
      return undefined;
  }
}

function levelOf(body: StreamRecord['body']): Omit<LevelChange, 'kind' | 'time' | 'step'> {
  const number = (name: string): number => Number(body[name]);
  const { environmentTag } = body;
  return {
    ...(typeof environmentTag === 'string' ? { environmentTag } : {}),
    from: number('from'),
    to: number('to'),
    levels: number('levels'),
    successRate: number('successRate'),
    groups: number('groups'),
  };
}
