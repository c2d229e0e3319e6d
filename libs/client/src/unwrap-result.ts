import { refused } from './connection.js';

interface Refusal {
  readonly __typename: string;
  readonly code: string;
  readonly message: string;
}
type Tagged = { readonly __typename: string };
type WithoutTypename<T> = T extends unknown ? Omit<T, '__typename'> : never;

/** What a mutation returns if it is not refused. */
export type ResultOf<T> = WithoutTypename<Exclude<T, { readonly code: string }>>;

/** Leaves out the field that discriminates the members of a union. */
export function withoutTypename<T extends Tagged>({ __typename: _, ...fields }: T): WithoutTypename<T> {
  return fields as WithoutTypename<T>;
}

/**
 * Returns the result of a mutation, or throws the refusal that the server returned instead.
 *
 * @throws client.refused with the server's code and further fields in `details`
 */
export function unwrapResult<T extends Tagged>(answer: T): ResultOf<T> {
  if (!('code' in answer)) return withoutTypename(answer) as unknown as ResultOf<T>;
  const { __typename: _, code, message, ...facts } = answer as T & Refusal;
  throw refused(code, message, facts);
}
