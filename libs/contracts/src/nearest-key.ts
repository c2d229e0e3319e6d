/** Damerau–Levenshtein distance, restricted: a transposition of neighbours is one edit. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j] ?? 0, (beforeLast[j - 2] ?? 0) + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const bare = (text: string): string => text.toLowerCase().replace(/[-_]/g, '');

/** Candidates by edit distance relative to length, ignoring case, dashes and underscores. */
function ranked(word: string, candidates: readonly string[]): { candidate: string; distance: number }[] {
  const share = ({ candidate, distance }: { candidate: string; distance: number }): number =>
    distance / Math.max(word.length, candidate.length);
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(bare(word), bare(candidate)) }))
    .sort((a, b) => share(a) - share(b) || (a.candidate < b.candidate ? -1 : 1));
}

/** The candidate with the fewest edits; undefined when none is close enough to be a typo. */
export function nearestKey(word: string, candidates: readonly string[]): string | undefined {
  const [best] = ranked(word, candidates).sort((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  const allowed = Math.max(1, Math.min(3, Math.ceil(word.length / 3)));
  return best.distance <= allowed ? best.candidate : undefined;
}

/** The candidate with the fewest edits relative to its length; undefined only when there are no candidates. */
export function closestKey(word: string, candidates: readonly string[]): string | undefined {
  return ranked(word, candidates)[0]?.candidate;
}
