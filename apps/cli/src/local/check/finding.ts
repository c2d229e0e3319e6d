/** What a check found: a problem has to be mended, a note should be known. */
export interface Finding {
  readonly level: 'problem' | 'note';
  /** such as `oracle`, `empty policy`, `conformance` */
  readonly check: string;
  readonly finding: string;
  readonly remedy: string;
}

/** A problem. */
export const problem = (check: string, finding: string, remedy: string): Finding => ({
  level: 'problem',
  check,
  finding,
  remedy,
});

/** A note. */
export const note = (check: string, finding: string, remedy: string): Finding => ({
  ...problem(check, finding, remedy),
  level: 'note',
});

/** Writes a number as people read it. */
export const show = (value: number): string => String(Number(value.toPrecision(3)));
