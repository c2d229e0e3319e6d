/** @file What the agent reads: the sentences of ALFWorld's grammar. */
import type { Action } from './commands.js';
import { contentsOf, hasMark, type House, type HouseState, receptaclesHere } from './house.js';

const help = `
Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
`.trimStart();

/** `a`, `a, and b`, `a, b, and c`. */
function join(items: readonly string[]): string {
  if (items.length === 0) return 'nothing';
  return items.length === 1 ? items[0]! : `${items.slice(0, -1).join(', ')}, and ${items.at(-1)}`;
}

/** The grammar says "a" whatever follows. */
const listThings = ({ things }: House, indices: readonly number[]): string =>
  join(indices.map((index) => `a ${things[index]!.name}`));

/** What is seen at the start. */
export function introduce(house: House, state: HouseState, task: string): string {
  const all = house.receptacles.filter(({ location }) => location >= 0).map(({ name }) => `a ${name}`);
  return `-= Welcome to TextWorld, ALFRED! =-\n\n${describe(house, state, all)}\n\n${task}`;
}

/** The answer to an action, in the state after it. */
export function answer(house: House, state: HouseState, action: Action): string {
  const thing = 'thing' in action ? house.things[action.thing]!.name : '';
  const receptacle = 'receptacle' in action ? house.receptacles[action.receptacle]!.name : '';
  switch (action.verb) {
    case 'look':
      return describe(house, state);
    case 'help':
      return help;
    case 'inventory':
      return state.held < 0
        ? 'You are not carrying anything.'
        : `You are carrying: ${listThings(house, [state.held])}.`;
    case 'go': {
      const place = house.wording.arrival === 'receptacle' ? receptacle : house.locations[state.at]!;
      return `You arrive at ${place}. ${examineReceptacle(house, state, action.receptacle)}`;
    }
    case 'examineReceptacle':
      return examineReceptacle(house, state, action.receptacle);
    case 'open':
      return `You open the ${receptacle}. ${examineReceptacle(house, state, action.receptacle)}`;
    case 'close':
      return `You close the ${receptacle}.`;
    case 'take':
      return `You pick up the ${thing} from the ${receptacle}.`;
    case 'put':
      return house.wording.put === 'move'
        ? `You move the ${thing} to the ${receptacle}.`
        : `You put the ${thing} in/on the ${receptacle}.`;
    case 'clean':
    case 'heat':
    case 'cool':
      return `You ${action.verb} the ${thing} using the ${receptacle}.`;
    case 'use':
      // the domain never takes the mark back, so that a lamp is turned on each time
      return `You turn on the ${thing}.`;
    case 'slice':
      return `You sliced the ${thing} with the ${house.things[action.knife]!.name}.`;
    default:
      return examineThing(house, state, action.thing);
  }
}

/** Away from all receptacles, the game names them once, at the start: looking again shows nothing. */
function describe(house: House, state: HouseState, all: readonly string[] = []): string {
  const here = receptaclesHere(house, state);
  if (here.length === 0) {
    return `You are in the middle of a room. Looking quickly around you, you see ${join(all)}.`;
  }
  const besides = [...house.things.keys()].filter(
    (thing) =>
      state.near[thing]!.includes(state.at) &&
      state.left[thing]!.some((receptacle) => here.includes(receptacle)),
  );
  const facing = join(here.map((receptacle) => house.receptacles[receptacle]!.name));
  return `You are facing the ${facing}. Next to it, you see ${listThings(house, besides)}.`;
}

function examineReceptacle(house: House, state: HouseState, receptacle: number): string {
  const { name, isOpenable } = house.receptacles[receptacle]!;
  if (isOpenable && state.opened[receptacle] !== true) return `The ${name} is closed.`;
  const contents = listThings(house, contentsOf(state, receptacle));
  return isOpenable
    ? `The ${name} is open. In it, you see ${contents}.`
    : `On the ${name}, you see ${contents}.`;
}

function examineThing(house: House, state: HouseState, thing: number): string {
  const { name, isVessel, contents, traits } = house.things[thing]!;
  if (isVessel) return `This is a normal ${name}. In it, you see ${listThings(house, contents)}.`;
  const [clean, hot, cool, sliced] = (['clean', 'hot', 'cool', 'sliced'] as const).map((mark) =>
    hasMark(state, thing, mark),
  );
  // a cool thing that is neither clean nor sliced is called cold
  const warmth =
    hot === true ? 'hot' : cool === true ? (clean === true || sliced === true ? 'cool' : 'cold') : '';
  const adjectives = [warmth, clean === true ? 'clean' : ''].filter((word) => word !== '').join(' and ');
  const words = [adjectives, sliced === true ? 'sliced' : ''].filter((word) => word !== '').join(' ');
  if (words !== '') return `This is a ${words} ${name}.`;
  if (traits.has('toggleable') && hasMark(state, thing, 'toggled')) return `This ${name} is on.`;
  return `There's nothing special about ${name}.`;
}
