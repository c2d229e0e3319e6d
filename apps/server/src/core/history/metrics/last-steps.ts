import type { EntityManager } from 'typeorm';
import { runSql } from '../../database/run-sql.js';

/** The last step that still counts when an attempt starts at `step`; −1 if it starts over, which repeats step 0. */
export function lastStepBefore(step: number): number {
  return step === 0 ? -1 : step;
}

/**
 * Finds which metrics of each attempt still count: those up to the step at which a later attempt started.
 *
 * @returns a function from an attempt to its last step that counts; infinity if all do
 */
export async function findLastSteps(
  manager: EntityManager,
  runId: string,
): Promise<(attempt: number) => number> {
  const starts = await runSql<{ number: number; start: number }>(
    manager,
    `SELECT attempt.number AS number, attempt."startStep" AS start FROM attempt
     JOIN job ON job.id = attempt."jobId"
     WHERE attempt."runId" = ? AND attempt."startStep" IS NOT NULL AND job.kind = 'train'`,
    [runId],
  );
  const known = new Map<number, number>();
  return (attempt) => {
    let cut = known.get(attempt);
    if (cut === undefined) {
      cut = Math.min(
        ...starts.filter(({ number }) => number > attempt).map(({ start }) => lastStepBefore(start)),
      );
      known.set(attempt, cut);
    }
    return cut;
  };
}
