/**
 * Signals so soon after the first are the same request, ms: a terminal sends Ctrl-C to npm and to this process, and npm
 * passes it on.
 */
const sameRequestMs = 500;

/** Creates a function that classifies each signal: the first, the echo of the first, or a second request. */
export function createEchoFilter(
  now: () => number = () => performance.now(),
): () => 'first' | 'echo' | 'again' {
  let first: number | undefined;
  return () => {
    if (first === undefined) {
      first = now();
      return 'first';
    }
    return now() - first < sameRequestMs ? 'echo' : 'again';
  };
}
