/** @file What an agent that knows the task would do next: ask, look up, change, tell, end. */
import type { Call, Shop } from './store.js';
import type { State } from './session.js';
import { isChanging } from './tools.js';
import { hasTold } from './told.js';

/** A call as an action. */
export function writeCall({ name, arguments: given }: Call): string {
  return `${name} ${JSON.stringify(given)}`;
}

/** The rest of the reference; empty where the data are not as any part of it leaves them. */
export function planOf(state: State, shop: Shop): string[] {
  const { task, hash, told, reward } = state;
  if (reward !== null) return [];
  const changes = task.calls.filter(({ name }) => isChanging(name));
  const done = task.hashes.lastIndexOf(hash);
  if (done < 0) return [];
  const questions = task.sentences.filter((_sentence, number) => !state.tells.includes(number));
  const asks = questions.map((_sentence, place) =>
    place === 0 && state.tells.length === 0
      ? 'say What is your name, and how may I help you?'
      : 'say Is there anything else?',
  );
  const looks = lookUps(state, shop).filter((action) => !state.called.includes(action));
  const missing = task.outputs.filter((_output, number) => !told.outputs.includes(number));
  const tells = hasTold(told, task.outputs) ? [] : [`say The answer is: ${missing.join('; ')}`];
  return [...asks, ...looks, ...changes.slice(done).map(writeCall), ...tells, 'done'];
}

/** The look-ups of the reference or, where it has none, user and orders. */
function lookUps({ task }: State, shop: Shop): string[] {
  const looks = task.calls.filter(({ name }) => !isChanging(name) && name !== 'transfer_to_human_agents');
  if (looks.length > 0) return [...new Set(looks.map(writeCall))];
  const user = shop.users.get(task.user);
  const ids = new Set(
    task.calls.flatMap(({ arguments: { order_id: id } }) => (typeof id === 'string' ? [id] : [])),
  );
  return [
    ...(user === undefined
      ? []
      : [
          writeCall({ name: 'find_user_id_by_name_zip', arguments: { ...user.name, zip: user.address.zip } }),
        ]),
    ...[...ids].map((id) => writeCall({ name: 'get_order_details', arguments: { order_id: id } })),
  ];
}
