import { AppError } from '@espalier/contracts';

/** Makes the error of an action that is not in the list, naming the ones that are. */
export function unknownAction(action: string, actions: readonly string[]): AppError {
  return new AppError(
    'plugin.unknown_action',
    `step: "${action}" is not an action; expected one of ${actions.map((name) => `"${name}"`).join(', ')}`,
    { details: { action, actions } },
  );
}
