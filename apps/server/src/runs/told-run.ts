import type { Run } from './run.entity.js';

type Moment = 'createdAt' | 'startedAt' | 'endedAt';

/** A run as REST tells it: moments as ISO 8601 text, as GraphQL does. */
export type ToldRun = Omit<Run, Moment | 'search'> &
  Readonly<Record<Moment, string | null>>;

/** Tells a run over REST. */
export function tellRun({ search: _inner, ...run }: Run): ToldRun {
  const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return {
    ...run,
    ...{ createdAt: iso(run.createdAt), startedAt: iso(run.startedAt), endedAt: iso(run.endedAt) },
  };
}
