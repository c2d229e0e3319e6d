import { AppError } from '@espalier/contracts';
import type { Run } from '../runs/run.entity.js';

/** Checks that a cursor lies within the history of a run, its end included. @throws server.bad_cursor */
export function requireCursor({ id, head }: Pick<Run, 'id' | 'head'>, after: number): number {
  if (Number.isInteger(after) && after >= 0 && after <= Number(head)) return after;
  throw new AppError(
    'server.bad_cursor',
    `follow run "${id}" after ${after}: give a whole number from 0 to its head, ${head}`,
  );
}
