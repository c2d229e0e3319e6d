import { editDistance } from '@espalier/config/plain';
import { AppError } from '@espalier/contracts';

/** Names that are told, at most. */
const most = 5;

/**
 * Refuses metrics that no run has: most likely they are misspelt. Runs that have no metrics yet say nothing.
 *
 * @throws run.invalid_request naming each with those near it; `details.unknown` has the same as data
 */
export function validateMetricNames(wanted: readonly string[], known: ReadonlySet<string>): void {
  const missing = wanted.filter((name) => !known.has(name));
  if (missing.length === 0 || known.size === 0) return;
  const unknown = missing.map((name) => ({ name, near: similarNames(name, [...known]) }));
  const told = unknown
    .slice(0, most)
    .map(({ name, near }) => `${JSON.stringify(name.slice(0, 100))} (near it: ${near.join(', ')})`)
    .join('; ');
  throw new AppError(
    'run.invalid_request',
    `compare runs: none of them has the metric ${told}; GET /api/v1/runs/<id>/metrics lists all of a run`,
    { details: { flaws: unknown.map(({ name }) => `metrics: no run has ${JSON.stringify(name)}`), unknown } },
  );
}

/** Gives the names closest to a word: by edits, for their length, of the whole or of what follows the area. */
export function similarNames(word: string, names: readonly string[]): string[] {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9/]/g, '');
  const last = (text: string): string => bare(text).slice(bare(text).lastIndexOf('/') + 1);
  const share = (a: string, b: string): number => editDistance(a, b) / Math.max(a.length, b.length, 1);
  const wanted = bare(word.slice(0, 200));
  return names
    .map((name) => {
      const isPart = wanted.length > 2 && bare(name).includes(wanted);
      const distance = Math.min(
        share(wanted, bare(name)),
        share(last(word.slice(0, 200)), last(name)) + 0.05,
      );
      return { name, distance: isPart ? Math.min(distance, 0.1) : distance };
    })
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .filter(({ distance }, index) => index === 0 || distance <= 0.5)
    .slice(0, most)
    .map(({ name }) => name);
}
