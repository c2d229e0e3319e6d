import { AppError } from '@espalier/contracts';

/** The error for an action that is not in the list; it names the valid ones. */
export function unknownAction(action: string, actions: readonly string[]): AppError {
  return new AppError(
    'plugin.unknown_action',
    `step: "${action}" is not an action; expected one of ${actions.map((name) => `"${name}"`).join(', ')}`,
    { details: { action, actions } },
  );
}
