import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { stepOrNull } from '../database/columns.js';
import type { ListedRun } from './run-queries.service.js';
import type { Run } from '../database/entities/run.js';

type Moment = 'createdAt' | 'startedAt' | 'endedAt';
/** internal columns */
type Internal = 'search' | 'importKey' | 'importContent' | 'idempotencyKey' | 'requestHash';

/** A run in REST responses: times as ISO 8601 text, as in GraphQL. */
export type RunDto = Omit<Run, Moment | Internal | 'step'> &
  Readonly<Record<Moment, string | null>> & { readonly step: number | null };

/** A run in lists: without its spec and its source, which may be long. */
export type ListedRunDto = Omit<RunDto, 'spec' | 'source'>;

export function toListedRunDto(listed: ListedRun): ListedRunDto {
  const { importKey: _import, idempotencyKey: _key, requestHash: _hash, ...run } = listed;
  return { ...run, ...momentsOf(run), step: stepOrNull(run.step) };
}

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
