/**
 * Why a request by `fetch` failed, as the end of a sentence. Its own message, "fetch failed", helps nobody: the reason is the
 * cause, which for a name with several addresses is a list of errors and has no message itself.
 *
 * @param limitMs what the request was given, for one that took longer
 */
export function fetchFailure(error: unknown, limitMs?: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError')
    return `no answer in ${limitMs === undefined ? 'time' : `${limitMs / 1000} s`}`;
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map((one) => fetchFailure(one, limitMs)))].join(', ');
  if (error.cause instanceof Error) return fetchFailure(error.cause, limitMs);
  return error.message;
}
