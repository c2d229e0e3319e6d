/** @file What can be done in a state, under ALFWorld's names, and what it changes: the actions of its PDDL domain. */
import {
  contentsOf,
  hasMark,
  type House,
  type HouseState,
  isAccessible,
  type Mark,
  marks,
  receptaclesHere,
} from './house.js';

/** What devices do, and which kind of receptacle each is. */
export const devices = { clean: 'sinkbasin', heat: 'microwave', cool: 'fridge' } as const;
export type Treatment = keyof typeof devices;

/** The trait that a treatment needs, and what it sets and clears. */
const treatments = {
  clean: { trait: 'cleanable', sets: marks.clean, clears: 0 },
  heat: { trait: 'heatable', sets: marks.hot, clears: marks.cool },
  cool: { trait: 'coolable', sets: marks.cool, clears: marks.hot },
} as const;

export type Action =
  | { readonly verb: 'look' | 'inventory' | 'help' }
  | { readonly verb: 'go' | 'open' | 'close' | 'examineReceptacle'; readonly receptacle: number }
  | { readonly verb: 'take' | 'put' | Treatment; readonly thing: number; readonly receptacle: number }
  | { readonly verb: 'examineThing' | 'use'; readonly thing: number }
  | { readonly verb: 'slice'; readonly thing: number; readonly knife: number };

/** The command for an action. */
export function write({ receptacles, things, wording }: House, action: Action): string {
  const thing = 'thing' in action ? things[action.thing]!.name : '';
  const receptacle = 'receptacle' in action ? receptacles[action.receptacle]!.name : '';
  switch (action.verb) {
    case 'go':
      return `go to ${receptacle}`;
    case 'examineReceptacle':
      return `examine ${receptacle}`;
    case 'examineThing':
      return `examine ${thing}`;
    case 'open':
    case 'close':
      return `${action.verb} ${receptacle}`;
    case 'take':
      return `take ${thing} from ${receptacle}`;
    case 'put':
      return wording.put === 'move' ? `move ${thing} to ${receptacle}` : `put ${thing} in/on ${receptacle}`;
    case 'use':
      return `use ${thing}`;
    case 'slice':
      return `slice ${thing} with ${things[action.knife]!.name}`;
    case 'clean':
    case 'heat':
    case 'cool':
      return `${action.verb} ${thing} with ${receptacle}`;
    default:
      return action.verb;
  }
}

/** Every action that is possible. Going where the agent is, or to its neighbour at the same location, is not: it changes nothing. */
export function* actionsOf(house: House, state: HouseState): Generator<Action> {
  const { receptacles, things } = house;
  for (const [receptacle, { location }] of receptacles.entries())
    if (location >= 0 && location !== state.at) yield { verb: 'go', receptacle };
  if (house.wording.hasHelp) yield { verb: 'help' };
  yield { verb: 'inventory' };
  yield { verb: 'look' };
  const here = receptaclesHere(house, state);
  for (const receptacle of here) {
    yield { verb: 'examineReceptacle', receptacle };
    if (receptacles[receptacle]!.isOpenable)
      yield { verb: state.opened[receptacle] === true ? 'close' : 'open', receptacle };
    if (state.held < 0 && isAccessible(house, state, receptacle))
      for (const thing of contentsOf(state, receptacle))
        if (things[thing]!.traits.has('pickupable')) yield { verb: 'take', thing, receptacle };
  }
  for (const [thing, { traits }] of things.entries())
    if (traits.has('toggleable') && state.inside[thing]!.some((place) => here.includes(place)))
      yield { verb: 'use', thing };
  if (state.held >= 0) yield* withHeld(house, state, here);
}

/** What can be done with the thing in the hand. */
function* withHeld(house: House, state: HouseState, here: readonly number[]): Generator<Action> {
  const thing = state.held;
  const { kind, traits } = house.things[thing]!;
  yield { verb: 'examineThing', thing };
  for (const receptacle of here) {
    const into = house.receptacles[receptacle]!.kind;
    if (isAccessible(house, state, receptacle) && house.fits.has(`${into} ${kind}`))
      yield { verb: 'put', thing, receptacle };
    for (const verb of ['clean', 'heat', 'cool'] as const)
      if (devices[verb] === into && traits.has(treatments[verb].trait)) yield { verb, thing, receptacle };
  }
  if (kind !== 'knife' && kind !== 'butterknife') return;
  for (const [other, { traits: able }] of house.things.entries())
    if (able.has('sliceable') && state.near[other]!.includes(state.at))
      yield { verb: 'slice', thing: other, knife: thing };
}

/** The state after an action that is possible. */
export function act(house: House, state: HouseState, action: Action): HouseState {
  switch (action.verb) {
    case 'go':
      return look(house, { ...state, at: house.receptacles[action.receptacle]!.location }, action.receptacle);
    case 'examineReceptacle':
      return look(house, state, action.receptacle);
    case 'open':
    case 'close': {
      const opened = state.opened.with(action.receptacle, action.verb === 'open');
      return look(house, { ...state, opened }, action.receptacle);
    }
    case 'take': {
      const { thing, receptacle } = action;
      return {
        ...state,
        held: thing,
        inside: state.inside.with(thing, without(state.inside[thing]!, receptacle)),
        near: state.near.with(thing, without(state.near[thing]!, state.at)),
        left: state.left.with(thing, withOne(state.left[thing]!, receptacle)),
      };
    }
    case 'put': {
      const { thing, receptacle } = action;
      return {
        ...state,
        held: -1,
        inside: state.inside.with(thing, withOne(state.inside[thing]!, receptacle)),
        near: state.near.with(thing, withOne(state.near[thing]!, state.at)),
        left: state.left.with(thing, without(state.left[thing]!, receptacle)),
      };
    }
    case 'clean':
    case 'heat':
    case 'cool': {
      const { sets, clears } = treatments[action.verb];
      return mark(state, action.thing, sets, clears);
    }
    case 'use': {
      const wasOn = hasMark(state, action.thing, 'on');
      return mark(state, action.thing, marks.toggled | (wasOn ? 0 : marks.on), wasOn ? marks.on : 0);
    }
    case 'slice':
      return mark(state, action.thing, marks.sliced, 0);
    default:
      return state;
  }
}

/** Whether a treatment has been done. */
export const markOf: Readonly<Record<Treatment, Mark>> = { clean: 'clean', heat: 'hot', cool: 'cool' };

const without = (list: readonly number[], item: number): readonly number[] =>
  list.filter((one) => one !== item);
const withOne = (list: readonly number[], item: number): readonly number[] =>
  list.includes(item) ? list : [...list, item];

const mark = (state: HouseState, thing: number, sets: number, clears: number): HouseState => ({
  ...state,
  marked: state.marked.with(thing, ((state.marked[thing] ?? 0) & ~clears) | sets),
});

/** Notes that the contents of a receptacle have been shown. */
const look = (house: House, state: HouseState, receptacle: number): HouseState =>
  state.seen[receptacle] === true || !isAccessible(house, state, receptacle)
    ? state
    : { ...state, seen: state.seen.with(receptacle, true) };
