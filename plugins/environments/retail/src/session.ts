/** @file One conversation: what the user told, what was called, what was said. */
import { data, type Observation, type StepResult } from '@espalier/plugin-kit';
import { type Changes, type Shop, Store } from './store.js';
import { answerMessage } from './talk.js';
import { openTasks, type Task } from './task.js';
import { hasTold, hear, type Told } from './told.js';
import { callTool, isChanging } from './tools.js';

export interface RetailOptions {
  readonly user: 'asked' | 'open';
}

/** An episode as plain JSON. */
export interface State {
  readonly task: Task;
  readonly changes: Changes;
  /** hash of the data as they are */
  readonly hash: string;
  /** numbers of the sentences that the user told */
  readonly tells: readonly number[];
  /** look-ups so far */
  readonly called: readonly string[];
  readonly told: Told;
  readonly turn: number;
  readonly output: string;
  readonly reward: number | null;
}

const nothing: Task = { name: '', user: '', sentences: [], calls: [], outputs: [], hashes: [''] };
/** Longest call that is read. */
const maxCall = 10_000;
/** Look-ups that are remembered. */
const maxCalled = 64;

/** A conversation; the data are opened when they are first needed. */
export class Session {
  state: State = start(nothing, '');

  constructor(private readonly options: RetailOptions) {}

  get shop(): Shop {
    return openTasks({}).shop;
  }

  begin(seed: number): Observation {
    const task = data.taskOfSeed(openTasks({}).splits, seed);
    const isOpen = this.options.user === 'open';
    const all = task.sentences.map((_sentence, number) => number);
    this.state = {
      ...start(task, isOpen ? `User: ${task.sentences.join(' ')}` : 'User: Hello, I need some help.'),
      tells: isOpen ? all : [],
    };
    return this.observe();
  }

  observe(): Observation {
    const { output, turn, hash } = this.state;
    return { text: output === '' ? 'Nothing.' : output, stateKey: `${turn} ${hash} ${output}` };
  }

  act(action: string): StepResult {
    const wasDone = this.state.reward !== null;
    const valid = !wasDone && this.move(action.trim());
    const { reward } = this.state;
    return {
      observation: this.observe(),
      reward: wasDone ? 0 : (reward ?? 0),
      done: reward !== null,
      success: reward === 1,
      valid,
      effective: !wasDone,
      ...(!wasDone && { metrics: { refused_calls: valid ? 0 : 1 } }),
    };
  }

  private move(action: string): boolean {
    const { turn } = this.state;
    this.state = { ...this.state, turn: turn + 1 };
    if (/^done[.!]?$/i.test(action)) return this.end('The conversation has ended.');
    const [, name = '', rest = ''] = /^([A-Za-z_]{1,60})(?![A-Za-z_])([\s\S]*)$/.exec(action) ?? [];
    if (name.toLowerCase() === 'say') return this.say(rest.replace(/^\s*:/, '').trim());
    const given = name === '' || action.length > maxCall ? undefined : readArguments(rest);
    if (given === undefined) {
      this.show(
        'Error: expected say and a text, done, or the name of a tool and its arguments as a JSON object',
      );
      return false;
    }
    return this.call(name, given);
  }

  private say(message: string): boolean {
    const { task, tells, told } = this.state;
    if (message === '') {
      this.show('Error: say has no text');
      return false;
    }
    const { text, tells: number } = answerMessage(message, task.sentences, tells);
    this.state = {
      ...this.state,
      told: hear(told, message, task.outputs),
      tells: number === undefined || tells.includes(number) ? tells : [...tells, number],
    };
    this.show(`User: ${text}`);
    return true;
  }

  private call(name: string, given: Readonly<Record<string, unknown>>): boolean {
    const store = new Store(this.shop, this.state.changes);
    const { text, isError } = callTool(store, { name, arguments: given });
    const called = [...this.state.called, `${name} ${JSON.stringify(given)}`].slice(-maxCalled);
    this.state = {
      ...this.state,
      changes: store.changes,
      called: isError || isChanging(name) ? this.state.called : called,
    };
    if (!isError && isChanging(name)) this.state = { ...this.state, hash: store.hash() };
    if (!isError && name === 'transfer_to_human_agents') return this.end(text);
    this.show(text);
    return !isError;
  }

  private end(output: string): true {
    const { task, hash, told } = this.state;
    const isRight = hash === task.hashes.at(-1) && hasTold(told, task.outputs);
    this.state = { ...this.state, output, reward: isRight ? 1 : 0 };
    return true;
  }

  private show(output: string): void {
    this.state = { ...this.state, output };
  }
}

function start(task: Task, output: string): State {
  return {
    task,
    changes: { users: {}, orders: {} },
    hash: '',
    tells: [],
    called: [],
    told: { outputs: [], words: [] },
    turn: 0,
    output,
    reward: null,
  };
}

/** The arguments of a call: a JSON object, or nothing. */
function readArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = text.trim();
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
