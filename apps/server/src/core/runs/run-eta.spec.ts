import { describe, expect, it } from 'vitest';
import { estimateEta, type TimedStep } from './run-eta.service.js';

/** Rows newest first, of one attempt, from what each step took in seconds. */
function rowsOf(durations: readonly number[], attempt = 1): TimedStep[] {
  let time = 0;
  const rows = [{ attempt, step: 0, time }];
  durations.forEach((seconds, index) => {
    time += 1000 * seconds;
    rows.push({ attempt, step: index + 1, time });
  });
  return rows.reverse();
}

describe('the time a run has left', () => {
  it('is the median duration of its last steps times those left, less what the present one has had', () => {
    const rows = rowsOf([10, 10, 300, 10]);
    const [newest] = rows;
    expect(estimateEta(rows, 10, (newest?.time ?? 0) + 4000)).toEqual({
      seconds: 56,
      at: (newest?.time ?? 0) + 60_000,
    });
  });

  it('counts a step that takes longer than most as one that is nearly done', () => {
    const rows = rowsOf([10, 10]);
    expect(estimateEta(rows, 5, 1_000_000)?.seconds).toBe(20);
  });

  it('looks at the present attempt only, and at the first row of a step with a validation', () => {
    const rows = rowsOf([10, 10, 10], 2);
    const doubled = rows.flatMap((row) => [{ ...row, time: row.time + 5 }, row]);
    const before = [{ attempt: 1, step: 1, time: -90_000 }];
    expect(estimateEta([...doubled, ...before], 4, 30_005)?.seconds).toBe(10);
  });

  it('is not known before two steps were timed, nor when all steps are done', () => {
    expect(estimateEta([], 5, 0)).toBeNull();
    expect(estimateEta(rowsOf([10]), 5, 0)).toBeNull();
    expect(estimateEta(rowsOf([10, 10, 10]), 3, 0)).toBeNull();
  });
});
