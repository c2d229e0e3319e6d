/** @file The sources of a report: what its numbers and claims rest on, numbered in the order of their use. */
import type { Inline } from './document.js';
import { formatReference, type Reference, resolveTarget, type Resolved, type Target } from './references.js';
import type { ReportRun } from './report-run.js';

/** A part of a run that a report uses, as it was. */
export interface SourcePart extends Resolved {
  readonly reference: string;
}

export interface Source {
  /** from 1 */
  readonly number: number;
  readonly parts: readonly SourcePart[];
  /** how the number follows from its parts; undefined: it is the part itself */
  readonly how: string | undefined;
  /** a place in the report that shows it */
  readonly place: string | undefined;
}

type Lookup = Exclude<Target, { kind: 'trajectory' }>;

/** Collects the sources while a report is built. */
export interface Sources {
  /** Cites one part of a run, which is looked up now. @throws ReferenceProblem @param text default: as the report writes the value */
  cite(run: ReportRun, target: Lookup, text?: string): Inline;
  /** Cites what was computed from several parts. */
  citeComputed(text: string, parts: readonly SourcePart[], how: string): Inline;
  /** Cites a trajectory that the report shows. */
  citeTrajectory(text: string, part: SourcePart, place: string): Inline;
  list(): readonly Source[];
}

/** Looks a part up. @throws ReferenceProblem */
export function lookUp(run: ReportRun, target: Lookup): SourcePart {
  const reference: Reference = { run: run.key, target };
  return { reference: formatReference(reference), ...resolveTarget(run, target) };
}

export function createSources(): Sources {
  const sources = new Map<string, Source>();
  const add = (parts: readonly SourcePart[], how: string | undefined, place: string | undefined): number => {
    const key = JSON.stringify([parts.map(({ reference }) => reference), how]);
    const known = sources.get(key);
    if (known !== undefined) return known.number;
    const number = sources.size + 1;
    sources.set(key, { number, parts, how, place });
    return number;
  };
  return {
    cite(run, target, text) {
      const part = lookUp(run, target);
      const place = target.kind === 'setting' ? `reproduce-${run.key}` : `run-${run.key}`;
      return { kind: 'cite', text: text ?? part.text, source: add([part], undefined, place) };
    },
    citeComputed: (text, parts, how) => ({
      kind: 'cite',
      text,
      source: add(parts, how, undefined),
    }),
    citeTrajectory: (text, part, place) => ({
      kind: 'cite',
      text,
      source: add([part], undefined, place),
    }),
    list: () => [...sources.values()],
  };
}
