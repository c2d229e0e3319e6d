/** @file The environment: a level played by commands, as ALFWorld's text game. */
import {
  AppError,
  createStream,
  type EnvironmentInstance,
  type Observation,
  splitOfSeed,
  type StepResult,
} from '@espalier/plugin-kit';
import { act, type Action, actionsOf, write } from './commands.js';
import { explainAction } from './explain.js';
import { findGames, type Level, readGame } from './game-file.js';
import { generateLevel, type LevelOptions, type Split } from './generate.js';
import { contentsOf, type HouseState, isAccessible, receptaclesHere } from './house.js';
import { planSearch, planShortest } from './planner.js';
import { isSolved } from './task.js';
import { answer, introduce } from './texts.js';

/** Where levels come from: made by seed, or paths of ALFWorld's games by split. */
export type Games =
  | ({ readonly source: 'generated' } & LevelOptions)
  | ({ readonly source: 'files' } & Readonly<Partial<Record<Split, string | undefined>>>);

export interface HouseholdOptions {
  readonly games: Games;
  readonly split: 'seed' | Split;
  readonly version: 'r1' | 'r2';
  readonly showsCommands: boolean;
  readonly showsTask: 'first' | 'always';
  readonly maxSteps: number;
}

/** What an episode is, as plain JSON. */
interface Snapshot {
  readonly seed: number;
  readonly state: HouseState;
  readonly text: string;
  readonly steps: number;
}

/** An episode as it is played. */
interface Play {
  readonly level: Level;
  readonly now: Snapshot;
  readonly commands: ReadonlyMap<string, Action>;
}

/** Creates one player; `reset` gives the house and the task. */
export function createHousehold(options: HouseholdOptions): EnvironmentInstance {
  let current: Play | undefined;

  const playing = (): Play => {
    if (current === undefined)
      throw new AppError('plugin.failed', 'step: there is no episode; call reset first');
    return current;
  };
  /** A state is never changed, so its commands are listed once. */
  const enter = (level: Level, now: Snapshot): Play => {
    const isUnmoved = current?.level === level && current.now.state === now.state;
    const commands = isUnmoved ? current!.commands : listCommands(level, now.state, options);
    return (current = { level, now, commands });
  };

  return {
    reset: ({ state: seed }) => {
      const level = levelOf(seed, options);
      const text = introduce(level.house, level.start, level.sentence);
      return observe(enter(level, { seed, state: level.start, text, steps: 0 }), options);
    },
    step: (command) => {
      const before = playing();
      const { now, ...outcome } = play(before, command.trim(), options);
      const observation = observe(enter(before.level, now), options);
      const isEffective = outcome.valid && keyOf(before.level, now) !== keyOf(before.level, before.now);
      return { observation, ...outcome, effective: isEffective && before.commands.has(command.trim()) };
    },
    render: () => draw(playing().level, playing().now.state),
    oracle: () => {
      const { level, now } = playing();
      const { house, task } = level;
      const left = options.maxSteps - now.steps;
      const plan = planSearch(house, now.state, task, left) ?? planShortest(house, now.state, task) ?? [];
      return plan.map((action) => write(house, action));
    },
    sampleAction: (seed) => {
      // half of the time something other than going somewhere, which is most of the list
      const all = [...playing().commands];
      const others = all.filter(([, { verb }]) => verb !== 'go' && verb !== 'help');
      const stream = createStream(seed);
      return stream.pick(stream.int(2) === 0 ? others : all)[0];
    },
    explain: ([first = '']) => {
      const { level, now, commands } = playing();
      return explainAction(level.house, now.state, level.task, commands.get(first));
    },
    facts: () => factsOf(playing().level, playing().now.state),
    snapshot: () => playing().now,
    restore: (snapshot) => {
      const now = snapshot as Snapshot;
      enter(levelOf(now.seed, options), now);
    },
  };
}

function listCommands(
  { house }: Level,
  state: HouseState,
  { version }: HouseholdOptions,
): ReadonlyMap<string, Action> {
  const pairs = [...actionsOf(house, state)]
    .map((action) => [write(house, action), action] as const)
    .filter(([command]) => version === 'r2' || isTemplate(command));
  return new Map(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function observe({ level, now, commands }: Play, options: HouseholdOptions): Observation {
  const parts = [now.text];
  if (options.showsTask === 'always' && !now.text.endsWith(level.sentence)) parts.push(level.sentence);
  if (options.showsCommands) parts.push(`Admissible actions: [${[...commands.keys()].join(', ')}]`);
  return { text: parts.join('\n\n'), stateKey: keyOf(level, now) };
}

const keyOf = ({ start }: Level, { text, state }: Snapshot): string => `${text}\n${changesOf(start, state)}`;

/** What a command comes to. */
function play(
  { level: { house, task }, now, commands }: Play,
  command: string,
  { version, maxSteps }: HouseholdOptions,
): Omit<StepResult, 'observation' | 'effective'> & { readonly now: Snapshot } {
  const isOver = isSolved(house, now.state, task) || now.steps >= maxSteps;
  const action = isOver ? undefined : commands.get(command);
  const isFormed = !isOver && (action !== undefined || isTemplate(command));
  const state = action === undefined ? now.state : act(house, now.state, action);
  const text = action === undefined ? refusal(command, version, isFormed) : answer(house, state, action);
  const steps = isOver ? now.steps : now.steps + 1;
  const success = isSolved(house, state, task);
  const earned = version === 'r1' ? (isFormed ? 0.1 : 0) + (success ? 2 : 0) : success ? 10 : 0;
  return {
    now: { ...now, state, text, steps },
    reward: isOver ? 0 : earned,
    done: success || steps >= maxSteps,
    success,
    valid: version === 'r1' ? isFormed : action !== undefined,
  };
}

/** What RAGEN's first version takes for a command, as words around what they are about; its second passes everything on. */
const templates: readonly (readonly [first: string, second?: string])[] = [
  ['go to '],
  ['open '],
  ['close '],
  ['examine '],
  ['use '],
  ['take ', ' from '],
  ['move ', ' to '],
  ['put ', ' in/on '],
  ['heat ', ' with '],
  ['clean ', ' with '],
  ['cool ', ' with '],
  ['slice ', ' with '],
];

function isTemplate(command: string): boolean {
  if (command === 'look' || command === 'inventory') return true;
  return templates.some(([first, second]) => {
    if (!command.startsWith(first)) return false;
    const at = second === undefined ? first.length : command.indexOf(second, first.length + 1);
    return at >= 0 && at + (second?.length ?? 0) < command.length;
  });
}

const refusal = (command: string, version: HouseholdOptions['version'], isFormed: boolean): string =>
  version === 'r1' && !isFormed ? `Invalid action format: ${command.slice(0, 200)}` : 'Nothing happens.';

const listOf = new Map<string, readonly string[]>();

/** The level of a seed. @throws plugin.failed where there is none */
function levelOf(seed: number, { games, split, maxSteps }: HouseholdOptions): Level {
  const wanted = split === 'seed' ? splitOfSeed(seed).split : split;
  if (games.source === 'generated') return generateLevel(seed, games, maxSteps, wanted);
  const path = games[wanted];
  if (path === undefined)
    throw new AppError(
      'plugin.failed',
      `reset: the split ${wanted} has no games; set \`games.${wanted}\` to a folder of other games, or \`split: train\` to play the same in all`,
    );
  const known = listOf.get(path) ?? findGames(path);
  listOf.set(path, known);
  for (let at = 0; at < known.length; at++) {
    const level = readGame(known[(seed + at) % known.length]!);
    if (level !== undefined) return level;
  }
  throw new AppError('plugin.failed', `reset: every game in ${path} is marked as unsolvable; give others`);
}

/** What differs from the start, shortly. */
function changesOf(start: HouseState, state: HouseState): string {
  const parts: unknown[] = [state.at, state.held];
  for (const [index, isOpen] of state.opened.entries())
    if (isOpen !== start.opened[index]) parts.push(`r${index}`);
  for (const [index, places] of state.inside.entries()) {
    const left = state.left[index]!;
    const marked = state.marked[index];
    if (!isSame(places, start.inside[index]!) || left.length > 0 || marked !== start.marked[index])
      parts.push(`${index}:${places.join('+')}:${left.join('+')}:${marked}`);
  }
  return parts.join(' ');
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one === other || (one.length === other.length && one.every((item, index) => item === other[index]));

/** The house for people: who stands where, and what is in what. */
function draw({ house, sentence }: Level, state: HouseState): string {
  const here = new Set(receptaclesHere(house, state));
  const lines = house.receptacles.map(({ name, isOpenable }, index) => {
    const door = isOpenable ? (state.opened[index] === true ? ' (open)' : ' (closed)') : '';
    const contents = contentsOf(state, index).map((thing) => house.things[thing]!.name);
    return `${here.has(index) ? '>' : ' '} ${name}${door}: ${contents.join(', ')}`.trimEnd();
  });
  const held = state.held < 0 ? 'nothing' : house.things[state.held]!.name;
  return [sentence, ...lines, `In hand: ${held}`].join('\n');
}

function factsOf({ house, task }: Level, state: HouseState): Readonly<Record<string, unknown>> {
  const here = receptaclesHere(house, state);
  return {
    task: { type: task.type, thing: task.thing, target: task.target },
    at: here.map((index) => house.receptacles[index]!.name),
    holding: state.held < 0 ? null : house.things[state.held]!.name,
    open: house.receptacles.filter((_, index) => state.opened[index] === true).map(({ name }) => name),
    visible: here
      .filter((index) => isAccessible(house, state, index))
      .flatMap((index) => contentsOf(state, index))
      .map((thing) => house.things[thing]!.name),
  };
}
