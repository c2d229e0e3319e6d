import type { Run } from '../database/entities/run.js';

/** The words a run is found by: name, title, note, tags, and which plugins it uses; in lower case, one space between. */
export function searchTextOf(run: Pick<Run, 'name' | 'title' | 'note' | 'tags' | 'spec'>): string {
  const { environment, algorithm, model, rewards } = run.spec;
  const uses = [environment, algorithm, model, ...(Array.isArray(rewards) ? (rewards as unknown[]) : [])].map(
    useOf,
  );
  return [run.name, run.title, run.note, ...run.tags, ...uses]
    .join(' ')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 20_000);
}

function useOf(chosen: unknown): string {
  const use = (chosen as { use?: unknown } | undefined)?.use;
  return typeof use === 'string' ? use : '';
}
