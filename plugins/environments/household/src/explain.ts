/** @file Why an action: a short sentence that is true of what the agent has seen. */
import { type Action, devices } from './commands.js';
import { contentsOf, hasMark, type House, type HouseState } from './house.js';
import { isShown } from './planner.js';
import { isReady, type Task, treatmentOf } from './task.js';

/** Explains the first action of a plan. */
export function explainAction(
  house: House,
  state: HouseState,
  task: Task,
  action: Action | undefined,
): string {
  if (action === undefined) return `I have to ${aim(task)}.`;
  const thing = 'thing' in action ? house.things[action.thing]!.name : '';
  const receptacle = 'receptacle' in action ? house.receptacles[action.receptacle]!.name : '';
  switch (action.verb) {
    case 'go':
      return whyGo(house, state, task, action.receptacle);
    case 'open':
      return `The ${receptacle} is closed.`;
    case 'examineReceptacle':
      return `I do not know what is in the ${receptacle}.`;
    case 'take':
      return `The ${thing} is what I need.`;
    case 'put':
      return house.things[action.thing]!.kind === task.thing
        ? `The ${thing} belongs here.`
        : `I do not need the ${thing}.`;
    case 'use':
      return `I carry what to look at, and the ${thing} gives light.`;
    case 'clean':
    case 'heat':
    case 'cool':
      return `The ${receptacle} can ${action.verb} the ${thing}.`;
    default:
      return `I have to ${aim(task)}.`;
  }
}

function whyGo(house: House, state: HouseState, task: Task, receptacle: number): string {
  const { name, kind } = house.receptacles[receptacle]!;
  const treatment = treatmentOf[task.type];
  const held = state.held < 0 ? undefined : house.things[state.held]!;
  if (held?.kind === task.thing) {
    if (treatment !== undefined && !isReady(house, state, task, state.held) && kind === devices[treatment])
      return `I ${treatment} the ${held.name} with the ${name}.`;
    if (kind === task.target) return `I bring the ${held.name} to the ${name}.`;
  }
  const found = contentsOf(state, receptacle).find(
    (thing) =>
      isShown(state, thing) &&
      (house.things[thing]!.kind === task.thing ||
        (house.things[thing]!.kind === task.target && !hasMark(state, thing, 'toggled'))),
  );
  if (found !== undefined) return `I saw the ${house.things[found]!.name} at the ${name}.`;
  const missing =
    task.type === 'look_at_obj_in_light' && held?.kind === task.thing ? task.target : task.thing;
  return state.seen[receptacle] === true
    ? `I go to the ${name}.`
    : `I have not seen ${one(missing)}. I try the ${name}.`;
}

const aim = ({ type, thing, target }: Task): string =>
  type === 'look_at_obj_in_light'
    ? `look at ${one(thing)} under ${one(target)}`
    : `${treatmentOf[type] === undefined ? '' : `${treatmentOf[type]} and `}put ${type === 'pick_two_obj_and_place' ? `two ${pluralOf(thing)}` : one(thing)} in ${one(target)}`;

const one = (kind: string): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

const pluralOf = (kind: string): string =>
  kind.endsWith('knife') ? `${kind.slice(0, -2)}ves` : `${kind}${/(?:s|x|ch|ato)$/.test(kind) ? 'es' : 's'}`;
