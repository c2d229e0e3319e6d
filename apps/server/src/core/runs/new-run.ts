import type { Run } from '../database/entities/run.js';
import { searchTextOf } from './search-text.js';

type Given = 'id' | 'project' | 'name' | 'spec' | 'specHash' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in what every run begins with. */
export function newRun(given: Pick<Run, Given> & Partial<Run>): Run {
  const run = {
    ...{
      state: 'queued' as const,
      message: '',
      priority: 0,
      tags: [],
      note: '',
      source: null,
      overrides: [],
    },
    ...{ startedAt: null, endedAt: null, step: -1, steps: 0, latest: {}, warnings: 0, head: 0 },
    ...{ parentRunId: null, parentStep: null, host: null, gitRevision: null, versions: null, plugins: null },
    ...{ imported: false, importKey: null, importContent: null },
    ...{ search: '', forkPath: null },
    ...given,
  };
  return { ...run, search: searchTextOf(run) };
}
