import type { Run } from './run.entity.js';

type Moment = 'createdAt' | 'startedAt' | 'endedAt';
/** columns that are nobody's business */
type Inner = 'search' | 'importKey' | 'importContent';

/** A run as REST tells it: moments as ISO 8601 text, as GraphQL does. */
export type ToldRun = Omit<Run, Moment | Inner> &
  Readonly<Record<Moment, string | null>>;

/** Tells a run over REST. */
export function tellRun({ search: _words, importKey: _key, importContent: _content, ...run }: Run): ToldRun {
  const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return {
    ...run,
    ...{ createdAt: iso(run.createdAt), startedAt: iso(run.startedAt), endedAt: iso(run.endedAt) },
  };
}
