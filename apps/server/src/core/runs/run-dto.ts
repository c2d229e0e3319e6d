import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { stepOrNull } from '../database/columns.js';
import type { ListedRun } from './run-queries.service.js';
import type { Run } from '../database/entities/run.js';

type Moment = 'createdAt' | 'startedAt' | 'endedAt';
/** columns that are nobody's business */
type Inner = 'search' | 'importKey' | 'importContent' | 'idempotencyKey' | 'requestHash';

/** A run as REST tells it: moments as ISO 8601 text, as GraphQL does. */
export type RunDto = Omit<Run, Moment | Inner | 'step'> &
  Readonly<Record<Moment, string | null>> & { readonly step: number | null };

/** A run of a list as REST tells it: without its spec and its source, which may be long. */
export type ListedRunDto = Omit<RunDto, 'spec' | 'source'>;

/** Tells a run of a list over REST. */
export function toListedRunDto(listed: ListedRun): ListedRunDto {
  const { importKey: _import, idempotencyKey: _key, requestHash: _hash, ...run } = listed;
  return { ...run, ...momentsOf(run), step: stepOrNull(run.step) };
}

/** Tells a run over REST. */
export function toRunDto({ search: _words, importContent: _content, ...run }: Run): RunDto {
  const { spec, source } = run;
  return { ...toListedRunDto(run), spec, source };
}

function momentsOf(run: Pick<Run, Moment>): Record<Moment, string | null> {
  return {
    createdAt: toIsoTimeOrNull(run.createdAt),
    startedAt: toIsoTimeOrNull(run.startedAt),
    endedAt: toIsoTimeOrNull(run.endedAt),
  };
}
