/** @file Errors of the client, as the page tells them. */
import { isAppError } from '@espalier/contracts/app-error';

/** The server's code of a refusal, or the client's own; undefined: not an error of either. */
export function codeOf(error: unknown): string | undefined {
  if (!isAppError(error)) return undefined;
  const { code } = error.details;
  return error.code === 'client.refused' && typeof code === 'string' ? code : error.code;
}

/** The key is unknown, was revoked, or is gone. */
export const isKeyLost = (error: unknown): boolean => codeOf(error) === 'access.unauthenticated';

/** No server answers, or it is about to stop, or its database is away: worth another try. */
export const isAway = (error: unknown): boolean =>
  ['client.unreachable', 'server.shutting_down', 'server.database_unavailable', 'server.internal'].includes(
    codeOf(error) ?? '',
  );

/** A sentence for people. The remedies of the client's own errors are for programs. */
export function describeError(error: unknown): string {
  if (codeOf(error) === 'client.unreachable')
    return 'The server does not answer. The page tries again by itself.';
  if (codeOf(error) === 'graphql.invalid')
    return 'The server does not know what this page asks for: one of them is of another version. Reload the page.';
  return error instanceof Error ? error.message : String(error);
}
