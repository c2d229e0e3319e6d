import { type Range, tellRange } from '../routing/run-filter.js';

interface BeyondProps {
  /** by the address */
  readonly named: Range | undefined;
  readonly range: Range;
  readonly lastStep: number;
}

/** Says so where the address names a step that is not done, or more steps than one view holds. */
export function Beyond({ named, range, lastStep }: BeyondProps) {
  if (named === undefined || (named.from <= range.to && (named.to === Infinity || named.to <= range.to)))
    return null;
  return (
    <p className="hint small" role="status">
      {named.from === named.to
        ? `There is no ${tellRange(named)}`
        : `Not all of ${tellRange(named)} can be shown`}
      : the newest step that is done is {lastStep}. This is {tellRange(range)}.
    </p>
  );
}
