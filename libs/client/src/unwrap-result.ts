import { refused } from './connection.js';

interface Refusal {
  readonly __typename: string;
  readonly code: string;
  readonly message: string;
}
type Result<T> = Exclude<T, { readonly code: string }>;

/**
 * Returns the result of a mutation, or throws the rejection that the server returned instead.
 *
 * @throws client.refused with the server's code and further fields in `details`
 */
export function unwrapResult<T extends { readonly __typename: string }>(answer: T): Result<T> {
  if (!('code' in answer)) return answer as Result<T>;
  const { __typename: _kind, code, message, ...facts } = answer as T & Refusal;
  throw refused(code, message, facts);
}
