/**
 * @file Puzzles by seed, each made from a solution: numbers are drawn, then signs, or an expression over all four
 * operators whose every intermediate result is a positive whole number.
 */
import { createStream, type RandomStream } from '@espalier/plugin-kit';
import { allOperators, calculate, type Puzzle, type PuzzleOptions, type StepOperator } from './puzzle.js';

/**
 * One room for all drawings: most are thrown away, and lists of their own were half of their time. A place holds what the
 * last drawing left there until it is written.
 */
interface Drawing {
  count: number;
  readonly numbers: number[];
  /** what is left to be joined */
  readonly values: Int32Array;
  /** of each join the two places, the second counted without the first */
  readonly places: number[];
  /** of each join, or the sign of each number */
  readonly operators: StepOperator[];
}

const defaultTries = 50_000;

/** Most numbers of a puzzle. */
const most = 6;
const drawing: Drawing = {
  count: 0,
  numbers: new Array<number>(most).fill(0),
  values: new Int32Array(most),
  places: new Array<number>(2 * most).fill(0),
  operators: new Array<StepOperator>(most).fill('+'),
};

/**
 * Draws the puzzle of a seed.
 *
 * @returns undefined when none of `tries` drawings has a target in range
 */
export function drawPuzzle(seed: number, options: PuzzleOptions, tries = defaultTries): Puzzle | undefined {
  const target = drawTarget(seed, options, tries);
  if (target === undefined) return undefined;
  const solution = options.operators === 'signs' ? writeSigns(drawing) : writeTree(drawing);
  return { numbers: drawing.numbers.slice(0, drawing.count), target, solution };
}

/** Draws the same puzzle, whose solution takes time to be written and is not wanted. */
export function drawNumbers(seed: number, options: PuzzleOptions): Omit<Puzzle, 'solution'> | undefined {
  const target = drawTarget(seed, options, defaultTries);
  return target === undefined ? undefined : { numbers: drawing.numbers.slice(0, drawing.count), target };
}

/** Leaves the numbers and how they are joined in `drawing`. */
function drawTarget(seed: number, options: PuzzleOptions, tries: number): number | undefined {
  const stream = createStream(seed);
  const [fewest, most] = options.count;
  const [low, high] = options.target;
  const draw = options.operators === 'signs' ? drawSigns : drawTree;
  for (let attempt = 0; attempt < tries; attempt++) {
    drawing.count = fewest + stream.int(most - fewest + 1);
    for (let place = 0; place < drawing.count; place++)
      drawing.numbers[place] = 1 + stream.int(options.highest);
    const value = draw(stream, drawing, options.target);
    if (value >= low && value <= high && !isAmong(value, drawing)) return value;
  }
  return undefined;
}

function isAmong(value: number, { numbers, count }: Drawing): boolean {
  for (let place = 0; place < count; place++) if (numbers[place] === value) return true;
  return false;
}

/** Gives each number a sign; the first that is added leads, and without one the drawing is worth 0. */
function drawSigns(stream: RandomStream, { count, numbers, operators }: Drawing): number {
  let value = 0;
  let hasLead = false;
  for (let place = 0; place < count; place++) {
    const isAdded = stream.int(2) === 0;
    operators[place] = isAdded ? '+' : '-';
    value += isAdded ? numbers[place]! : -numbers[place]!;
    hasLead ||= isAdded;
  }
  return hasLead ? value : 0;
}

/** Joins two numbers at a time until one is left; 0 where a result is too large, or the last out of range. */
function drawTree(
  stream: RandomStream,
  { count, numbers, values, places, operators }: Drawing,
  target: PuzzleOptions['target'],
): number {
  for (let place = 0; place < count; place++) values[place] = numbers[place]!;
  for (let join = 0; join < count - 1; join++) {
    const left = count - join;
    const place = stream.int(left);
    const first = takeAt(values, place, left);
    const otherPlace = stream.int(left - 1);
    const second = takeAt(values, otherPlace, left - 1);
    // any of the four, and any result at the end, would be wrong so often that a puzzle of six numbers took 75 drawings
    const legal = join < count - 2 ? operatorsFor(first, second) : operatorsInto(target, first, second);
    if (legal.length === 0) return 0;
    const operator = legal[stream.int(legal.length)]!;
    const value = calculate(first, operator, second);
    if (value === undefined) return 0;
    values[left - 2] = value;
    places[2 * join] = place;
    places[2 * join + 1] = otherPlace;
    operators[join] = operator;
  }
  return values[0]!;
}

const withoutQuotient: readonly StepOperator[] = ['+', '-', '*'];
const withoutDifference: readonly StepOperator[] = ['+', '*', '/'];
const always: readonly StepOperator[] = ['+', '*'];

/** The operators whose result with these two is a positive whole number. */
function operatorsFor(left: number, right: number): readonly StepOperator[] {
  if (left % right === 0) return left > right ? allOperators : withoutDifference;
  return left > right ? withoutQuotient : always;
}

/** Those of the operators whose result is in range. */
function operatorsInto([low, high]: PuzzleOptions['target'], left: number, right: number): StepOperator[] {
  return operatorsFor(left, right).filter((operator) => {
    const value = calculate(left, operator, right);
    return value !== undefined && value >= low && value <= high;
  });
}

/** Removes the item at a place of the first `count`. */
function takeAt(values: Int32Array, place: number, count: number): number {
  const taken = values[place]!;
  for (let next = place + 1; next < count; next++) values[next - 1] = values[next]!;
  return taken;
}

/** Writes the numbers with their signs; the first that is added leads. */
function writeSigns({ count, numbers, operators }: Drawing): string {
  const lead = operators.indexOf('+');
  let text = String(numbers[lead]);
  for (let place = 0; place < count; place++)
    if (place !== lead) text += ` ${operators[place]!} ${numbers[place]!}`;
  return text;
}

function writeTree({ count, numbers, places, operators }: Drawing): string {
  const parts: { readonly text: string; readonly operator?: StepOperator }[] = [];
  for (let place = 0; place < count; place++) parts.push({ text: String(numbers[place]) });
  for (let join = 0; join < count - 1; join++) {
    const operator = operators[join]!;
    const [first] = parts.splice(places[2 * join]!, 1);
    const [second] = parts.splice(places[2 * join + 1]!, 1);
    const text = `${inParentheses(first!, operator, false)} ${operator} ${inParentheses(second!, operator, true)}`;
    parts.push({ text, operator });
  }
  return parts[0]!.text;
}

/** Puts parentheses where the text would otherwise be read differently. */
function inParentheses(
  { text, operator }: { readonly text: string; readonly operator?: StepOperator },
  outer: StepOperator,
  isRight: boolean,
): string {
  if (operator === undefined) return text;
  const isSum = operator === '+' || operator === '-';
  const isNeeded = outer === '*' || outer === '/' ? isSum || isRight : isRight && outer === '-' && isSum;
  return isNeeded ? `(${text})` : text;
}
