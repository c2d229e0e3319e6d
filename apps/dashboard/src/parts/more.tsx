/** @file What stands under a list that is not shown whole: how much of it is, and a way to the rest. */

/** A list of which a part is shown. */
export interface ShownPart {
  readonly shown: number;
  /** how many are known */
  readonly known: number;
  /** the server has more than are known */
  readonly isOpenEnded: boolean;
  readonly isReading: boolean;
  showMore(): void;
}

interface Props {
  readonly of: ShownPart;
  /** such as "alerts" */
  readonly what: string;
  readonly verb?: string;
}

/** Nothing where all is shown. */
export function More({ of, what, verb = 'shown' }: Props) {
  const { shown, known, isOpenEnded, isReading, showMore } = of;
  if (shown >= known && !isOpenEnded) return null;
  return (
    <p className="row small muted more-of" data-part="more">
      <span>
        {shown.toLocaleString('en')} of {isOpenEnded && 'more than '}
        {known.toLocaleString('en')} {what} {verb}
      </span>
      <button className="plain" disabled={isReading} onClick={showMore}>
        Show more
      </button>
    </p>
  );
}
