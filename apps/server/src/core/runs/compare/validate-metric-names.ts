import { AppError } from '@espalier/contracts';
import { editDistance } from '@espalier/contracts/nearest-key';

const maxNames = 5;

/**
 * Refuses metrics that no run has, as they are probably misspelt. Without any known metric all are accepted.
 *
 * @throws server.invalid_input naming each with similar names; `details.unknown` has the same as data
 */
export function validateMetricNames(names: readonly string[], known: ReadonlySet<string>): void {
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0 || known.size === 0) return;
  const unknown = missing.map((name) => ({ name, near: similarNames(name, [...known]) }));
  const listed = unknown
    .slice(0, maxNames)
    .map(({ name, near }) => `${JSON.stringify(name.slice(0, 100))} (near it: ${near.join(', ')})`)
    .join('; ');
  throw new AppError(
    'server.invalid_input',
    `compare runs: none of them has the metric ${listed}; GET /api/v1/runs/<id>/metrics lists all of a run`,
    { details: { flaws: unknown.map(({ name }) => `metrics: no run has ${JSON.stringify(name)}`), unknown } },
  );
}

/** Finds the names most similar to a word, by relative edit distance of the full name or of its last part. */
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
    .slice(0, maxNames)
    .map(({ name }) => name);
}
