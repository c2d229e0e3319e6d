/**
 * @file Renders a chat template within a budget. A template is a program from a file of others: it can loop for ever,
 * call itself, or double a text until the memory is full. What it does is counted, not timed, so that the same
 * template is refused on every machine and a busy one refuses no other.
 */
import { Environment, Interpreter, Template } from '@huggingface/jinja';

/** One evaluated node of the template costs this, one entry of a value that it gives 1, four characters of a text 1. */
const nodeCost = 64;
/** Half a million nodes; 1,000 turns of a page each take about a third. */
const budget = 32_000_000;
/** Longest text a template may make, in characters. */
const maxTextLength = 1 << 24;
/** Longest range. */
const maxRange = 10_000;
/** Longest template, in characters; those of models have some 20,000. */
const maxTemplateLength = 1 << 18;
/** Longest run of white space in a template: reading it takes time with the square of that. */
const maxBlanks = 1000;

/** A node of a parsed template, as far as it is looked at here. */
interface Statement {
  readonly type: string;
  /** of a loop: what it goes over, of which a condition may select */
  readonly iterable?: Statement;
  readonly lhs?: Statement;
}

/** A value of a template; lists and objects hold others. */
interface Value {
  readonly value: unknown;
}

interface Scope {
  set(name: string, value: unknown): void;
}

interface Walker {
  evaluate(statement: Statement | undefined, scope: Scope): Value;
  run(program: unknown): Value;
}

// the package's types of these two do not resolve under Node's rules
const JinjaWalker = Interpreter as unknown as new (scope: Scope) => Walker;
const JinjaScope = Environment as unknown as new () => Scope;

/** The template needs more than the budget. */
export class BudgetError extends Error {}

/** What a template raises by itself; the caller says which conversation it refused. */
export class RaisedError extends Error {}

class BoundedWalker extends JinjaWalker {
  #left = budget;
  /** what loops go over: each entry makes scopes and counters before a body runs */
  readonly #looped = new Set<Statement>();

  override evaluate(statement: Statement | undefined, scope: Scope): Value {
    this.#spend(nodeCost);
    // an end of a slice that is left out, as in `messages[::-1]`
    if (statement === undefined) return super.evaluate(statement, scope);
    if (statement.type === 'For' && statement.iterable !== undefined)
      this.#looped.add(statement.iterable.lhs ?? statement.iterable);
    const value = super.evaluate(statement, scope);
    this.#weigh(value);
    if (this.#looped.has(statement)) this.#spend(nodeCost * countEntries(value));
    return value;
  }

  #spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new BudgetError(`it takes more than ${budget / nodeCost} steps`);
  }

  /** Whatever is done with a value next costs at least a look at each of its entries. */
  #weigh({ value }: Value): void {
    if (typeof value === 'string') {
      if (value.length > maxTextLength)
        throw new BudgetError(`it makes a text of ${value.length} characters, more than ${maxTextLength}`);
      this.#spend(value.length >> 2);
    } else if (typeof value === 'object' && value !== null) this.#weighEntries(value);
  }

  #weighEntries(value: object): void {
    const entries = Array.isArray(value) || value instanceof Map ? value.values() : [];
    for (const entry of entries as Iterable<Value>) {
      this.#spend(1);
      if (typeof entry.value === 'object' && entry.value !== null) this.#weighEntries(entry.value);
    }
  }
}

function countEntries({ value }: Value): number {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 0;
}

const words = (text: string): readonly string[] => text.split(' ');
const days = words('Sunday Monday Tuesday Wednesday Thursday Friday Saturday');
const months = words('January February March April May June July August September October November December');

/** What templates call to date a conversation; local time, the directives of Python's strftime that they use. */
function formatNow(format: string, now = new Date()): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  const day = days[now.getDay()] ?? '';
  const month = months[now.getMonth()] ?? '';
  const parts: Readonly<Record<string, string>> = {
    A: day,
    a: day.slice(0, 3),
    B: month,
    b: month.slice(0, 3),
    p: now.getHours() < 12 ? 'AM' : 'PM',
    Y: String(now.getFullYear()),
    y: pad(now.getFullYear() % 100),
    m: pad(now.getMonth() + 1),
    d: pad(now.getDate()),
    H: pad(now.getHours()),
    I: pad(now.getHours() % 12 || 12),
    '%': '%',
    M: pad(now.getMinutes()),
    S: pad(now.getSeconds()),
  };
  return format.replace(/%([A-Za-z%])/g, (whole, sign: string) => parts[sign] ?? whole);
}

/** Python's range, of at most {@link maxRange} numbers. */
function range(first: number, end?: number, step = 1): number[] {
  const [start, stop] = end === undefined ? [0, first] : [first, end];
  if (step === 0) throw new RaisedError('range() step must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= maxRange))
    throw new BudgetError(`it makes a range of ${length} numbers, more than ${maxRange}`);
  return Array.from({ length }, (_, i) => start + i * step);
}

const globals: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range,
  strftime_now: (format: string) => formatNow(format),
  raise_exception: (message: string) => {
    throw new RaisedError(message);
  },
};

/** Refuses a template that would take long to read. */
function checkLength(text: string): void {
  if (text.length > maxTemplateLength)
    throw new RangeError(`it has ${text.length} characters, more than ${maxTemplateLength}`);
  let blanks = 0;
  for (let at = 0; at < text.length; at += 1) {
    blanks = /\s/.test(text.charAt(at)) ? blanks + 1 : 0;
    if (blanks > maxBlanks) throw new RangeError(`it has more than ${maxBlanks} blanks in a row`);
  }
}

/**
 * Reads a template.
 *
 * @returns renders it with variables; throws {@link BudgetError} past the budget, and what the template raises
 */
export function openBoundedTemplate(text: string): (variables: Readonly<Record<string, unknown>>) => string {
  checkLength(text);
  const parsed: unknown = new Template(text).parsed;
  return (variables) => {
    const scope = new JinjaScope();
    for (const [name, value] of Object.entries({ ...globals, ...variables })) scope.set(name, value);
    try {
      return String(new BoundedWalker(scope).run(parsed).value);
    } catch (error) {
      // the end of the stack, or of what one text can hold
      if (error instanceof RangeError) throw new BudgetError(`it takes too much: ${error.message}`);
      throw error;
    }
  };
}
