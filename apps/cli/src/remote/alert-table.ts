/** @file Alerts as a table: pure, for people. */
import type { Client } from '@espalier/client';
import { clean, type Console } from '../console.js';
import { formatDuration } from '../view/eta.js';
import { cut } from '../view/numbers.js';

export type Alert = Awaited<ReturnType<Client['overview']['alerts']>>['items'][number];

const heads = ['ALERT', 'RUN', 'STEP', 'AGE', 'ASSIGNEE'] as const;
/** What remains of a message in a narrow terminal. */
const leastMessage = 24;

/**
 * Lays out alerts, a line each below a head; what was acknowledged is dim.
 *
 * @param names what people call the runs, by id
 * @param now   ms since the epoch
 * @param width columns of the terminal, to which messages are cut; undefined: they are not cut
 */
export function alertTable(
  alerts: readonly Alert[],
  names: ReadonlyMap<string, string>,
  now: number,
  colors: Console['colors'],
  width?: number,
): string[] {
  const rows = alerts.map(({ id, runId, step, time, assignee }) => [
    id,
    cut(clean(names.get(runId) ?? runId), 24),
    String(step ?? ''),
    formatDuration(now - Date.parse(time)),
    cut(clean(assignee ?? '–'), 16),
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  const taken = widths.reduce((sum, one) => sum + one + 2, 0);
  const room = width === undefined ? Infinity : Math.max(leastMessage, width - taken);
  const line = (cells: readonly string[], message: string): string => {
    const padded = cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length));
    return [...padded, cut(message, room)].join('  ').trimEnd();
  };
  const head = line(heads, 'FOUND');
  return [
    colors.dim(head),
    ...rows.map((row, index) => paint(line(row, messageOf(alerts[index])), alerts[index], colors)),
  ];
}

function messageOf(alert: Alert | undefined): string {
  if (alert === undefined) return '';
  const { severity, message, acknowledgedBy, acknowledgedAt } = alert;
  const by = acknowledgedAt === null ? '' : `[acknowledged by ${acknowledgedBy ?? 'somebody'}] `;
  return clean(`${severity}: ${by}${message}`);
}

function paint(line: string, alert: Alert | undefined, colors: Console['colors']): string {
  if (alert === undefined || alert.acknowledgedAt !== null) return colors.dim(line);
  if (alert.severity === 'error') return colors.red(line);
  return alert.severity === 'warning' ? colors.yellow(line) : line;
}
