import { Run } from '../database/entities/run.js';
import { searchTextOf } from './search-text.js';

type Given = 'id' | 'project' | 'name' | 'spec' | 'specHash' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in what every run begins with; the entity has the rest. */
export function newRun(given: Pick<Run, Given> & Partial<Run>): Run {
  const run = Object.assign(new Run(), { source: null, importContent: null }, given);
  run.search = searchTextOf(run);
  return run;
}
