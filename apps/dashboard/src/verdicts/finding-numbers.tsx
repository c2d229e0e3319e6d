import { formatNumber } from '../format/numbers.js';

/** Null where a number is not finite. */
interface Numbers {
  readonly input: string;
  readonly value: number | null;
  /** null, too: compared with nothing */
  readonly baseline: number | null;
  readonly measure: number | null;
  readonly limit: number;
}

/** What a rule of the collapse monitor saw; the limit bounds its measure, not the value that it looks at. */
export function FindingNumbers({ input, value, baseline, measure, limit }: Numbers) {
  return (
    <>
      <span className="mono">{input}</span> is {formatNumber(value)}
      {baseline !== null && <>, was {formatNumber(baseline)}</>}; the measure {formatNumber(measure)} passed
      the limit {formatNumber(limit)}
    </>
  );
}
