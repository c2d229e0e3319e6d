/** @file Two ranges of steps, which evidence and rating sets are drawn from; they are in the address. */
import type { SearchChange } from '../routing/router.js';

export type Split = '' | 'train' | 'validation' | 'test';

export interface Side {
  readonly runId: string;
  readonly from: number;
  readonly to: number;
  readonly split: Split;
}

/** steps to each side of an alarm */
const near = 10;

const splitOf = (text: string | null): Split =>
  text === 'train' || text === 'validation' || text === 'test' ? text : '';
const stepOf = (text: string | null, otherwise: number): number => {
  const value = Number(text);
  return text !== null && text !== '' && Number.isInteger(value) && value >= 0 ? value : otherwise;
};

/** Reads both sides; without an alarm they are the first and the last steps. */
export function readSides(
  search: URLSearchParams,
  runId: string,
  lastStep: number,
  alarmStep: number | null,
): readonly [before: Side, after: Side] {
  const split = splitOf(search.get('split'));
  const [first, second] =
    alarmStep === null
      ? [
          [0, Math.min(near, Math.floor(lastStep / 2))],
          [Math.min(lastStep, Math.max(Math.floor(lastStep / 2) + 1, lastStep - near)), lastStep],
        ]
      : [
          [Math.max(0, alarmStep - near), Math.max(0, alarmStep - 1)],
          [alarmStep, Math.min(lastStep, alarmStep + near)],
        ];
  return [
    {
      runId,
      split,
      from: stepOf(search.get('a-from'), first?.[0] ?? 0),
      to: stepOf(search.get('a-to'), first?.[1] ?? 0),
    },
    {
      runId: search.get('b-run') ?? runId,
      split,
      from: stepOf(search.get('b-from'), second?.[0] ?? 0),
      to: stepOf(search.get('b-to'), second?.[1] ?? 0),
    },
  ];
}

/** Forgets the sides, as another alarm has its own. */
export const noSides: SearchChange = {
  'a-from': undefined,
  'a-to': undefined,
  'b-run': undefined,
  'b-from': undefined,
  'b-to': undefined,
};
