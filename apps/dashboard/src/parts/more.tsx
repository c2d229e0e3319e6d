/** @file What stands under a list that is not shown whole: how much of it is, and a way to the rest. */

/** A list of which a part is shown. */
export interface ShownPart {
  readonly shown: number;
  /** how many are read */
  readonly known: number;
  /** of the whole list; undefined: more than are read, and not counted yet */
  readonly total: number | undefined;
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
  const { shown, known, total, isReading, showMore } = of;
  if (total !== undefined && shown >= total) return null;
  return (
    <p className="row small muted more-of" data-part="more">
      <span>
        {`${shown.toLocaleString('en')} of ${total?.toLocaleString('en') ?? `more than ${known.toLocaleString('en')}`} ${what} ${verb}`}
      </span>
      <button className="plain" disabled={isReading} onClick={showMore}>
        Show more
      </button>
    </p>
  );
}
