/** @file Tasks for the desk, made from a seed: ten kinds, each of several calls, some of which need what others showed. */
import { createStream, data, deriveSeed, type RandomStream } from '@espalier/plugin-kit';
import type { Call } from '../action.js';
import { groupOf } from './read-tasks.js';
import { type Task, taskFile } from './task.js';

const things =
  'apples bread candles desks envelopes flour glasses honey ink jars keys lamps maps nails oil paper quilts rope soap tea umbrellas vases wax yarn'.split(
    ' ',
  );
const deeds = 'call clean count fetch label mend move order pack paint return sell sort store weigh'.split(
  ' ',
);
const people = 'Ada Ben Cleo Dov Edda Finn Gus Hana Ivo Juna Kai Lena Milo Nora Otto Pia'.split(' ');

/** What is on a desk. */
interface Desk {
  todos: { text: string; isDone: boolean }[];
  values: Record<string, string>;
}

/** A goal, the calls that reach it, and what must be on the desk then. */
interface Plan {
  readonly goal: string;
  readonly calls: readonly Call[];
  /** what is on the desk before, where the task adds to it */
  readonly start?: Desk;
  readonly end: Desk;
  readonly answer?: string;
}

const call = (tool: string, given: Readonly<Record<string, unknown>> = {}): Call => ({
  tool,
  arguments: given,
});
const get = (key: string): Call => call('get_value', { key });
const set = (key: string, value: string): Call => call('set_value', { key, value });
const list = call('list_todos');
const withValues = (desk: Desk, values: Desk['values']): Desk => ({ ...desk, values });
const without = (values: Desk['values'], ...keys: string[]): Desk['values'] =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));

type Kind = (desk: Desk, stream: RandomStream) => Plan;

const stock = ({ values }: Desk): string[] => Object.keys(values).filter((key) => things.includes(key));

export const kinds: Readonly<Record<string, Kind>> = {
  finish: (desk, stream) => {
    const open = desk.todos.flatMap(({ isDone }, place) => (isDone ? [] : [place]));
    const place = stream.pick(open);
    return {
      goal: `Mark the to-do "${desk.todos[place]!.text}" as done.`,
      calls: [list, call('finish_todo', { id: place + 1 })],
      end: {
        ...desk,
        todos: desk.todos.map((todo, at) => (at === place ? { ...todo, isDone: true } : todo)),
      },
    };
  },
  clear: (desk) => ({
    goal: 'Remove every to-do that is done. Leave the open ones.',
    calls: [
      list,
      ...desk.todos.flatMap(({ isDone }, place) => (isDone ? [call('remove_todo', { id: place + 1 })] : [])),
    ],
    end: { ...desk, todos: desk.todos.filter(({ isDone }) => !isDone) },
  }),
  copy: (desk, stream) => {
    const [from = ''] = stream.shuffle(stock(desk));
    return {
      goal: `Give the key backup the value of the key ${from}.`,
      calls: [get(from), set('backup', desk.values[from]!)],
      end: withValues(desk, { ...desk.values, backup: desk.values[from]! }),
    };
  },
  swap: (desk, stream) => {
    const [a = '', b = ''] = stream.shuffle(stock(desk));
    const { [a]: left = '', [b]: right = '' } = desk.values;
    return {
      goal: `Swap the values of the keys ${a} and ${b}.`,
      calls: [get(a), get(b), set(a, right), set(b, left)],
      end: withValues(desk, { ...desk.values, [a]: right, [b]: left }),
    };
  },
  add: (desk, stream) => {
    const [a = '', b = ''] = stream.shuffle(stock(desk));
    const sum = String(Number(desk.values[a]) + Number(desk.values[b]));
    return {
      goal: `Give the key total the sum of the numbers under ${a} and ${b}.`,
      calls: [get(a), get(b), set('total', sum)],
      end: withValues(desk, { ...desk.values, total: sum }),
    };
  },
  rename: (desk, stream) => {
    const [from = ''] = stream.shuffle(stock(desk));
    const to = `old-${from}`;
    const value = desk.values[from]!;
    return {
      goal: `Rename the key ${from} to ${to}: the value stays, the old key goes.`,
      calls: [get(from), set(to, value), call('remove_key', { key: from })],
      end: withValues(desk, { ...without(desk.values, from), [to]: value }),
    };
  },
  lowest: (desk) => {
    const keys = stock(desk).sort();
    const lowest = keys.reduce((least, key) =>
      Number(desk.values[key]) < Number(desk.values[least]) ? key : least,
    );
    return {
      goal: `Of ${keys.join(', ')}, find the one with the lowest number. Add the to-do "order" followed by its name.`,
      calls: [...keys.map(get), call('add_todo', { text: `order ${lowest}` })],
      end: { ...desk, todos: [...desk.todos, { text: `order ${lowest}`, isDone: false }] },
    };
  },
  pointer: (desk, stream) => {
    const [to = ''] = stream.shuffle(stock(desk));
    const start = withValues(desk, { ...desk.values, next: to });
    return {
      goal: 'The key next names another key. Remove that other key.',
      calls: [get('next'), call('remove_key', { key: to })],
      start,
      end: withValues(start, without(start.values, to)),
    };
  },
  look: (desk, stream) => {
    const [to = ''] = stream.shuffle(stock(desk));
    const end = withValues(desk, { ...desk.values, next: to });
    return {
      goal: 'The key next names another key. Answer with the value of that other key, and change nothing.',
      calls: [get('next'), get(to)],
      start: end,
      end,
      answer: desk.values[to]!,
    };
  },
  sum: (desk) => {
    const keys = stock(desk).sort();
    return {
      goal: `Answer with the sum of the numbers under ${keys.join(', ')}, and change nothing.`,
      calls: keys.map(get),
      end: desk,
      answer: String(keys.reduce((sum, key) => sum + Number(desk.values[key]), 0)),
    };
  },
};

function drawDesk(stream: RandomStream): Desk {
  const count = 3 + stream.int(2);
  const numbers = stream.shuffle(Array.from({ length: 880 }, (_, place) => 100 + place));
  const stocked = stream.shuffle(things).slice(0, count);
  const todos = stream
    .shuffle(deeds)
    .slice(0, 3 + stream.int(2))
    .map((deed, place) => ({
      text: `${deed} ${stream.pick(things)} for ${stream.pick(people)}`,
      // at least one is open and one is done
      isDone: place === 0 || (place > 1 && stream.int(2) === 0),
    }));
  return {
    todos: stream.shuffle(todos),
    values: Object.fromEntries(stocked.map((key, place) => [key, String(numbers[place])])),
  };
}

const setUp = ({ todos, values }: Desk): Call[] => [
  ...todos.map(({ text }) => call('add_todo', { text })),
  ...todos.flatMap(({ isDone }, place) => (isDone ? [call('finish_todo', { id: place + 1 })] : [])),
  ...Object.entries(values).map(([key, value]) => set(key, value)),
];

/** Tools that a policy may call; `show_all` is for the check. */
export const deskTools = [
  'list_todos',
  'add_todo',
  'finish_todo',
  'remove_todo',
  'list_keys',
  'get_value',
  'set_value',
  'remove_key',
];

/** Makes tasks: the kinds take turns, and a start with its goal is never there twice. */
export function generateTasks(seed: number, count: number): data.TaskSplits<Task> {
  const names = Object.keys(kinds);
  const tasks = Array.from({ length: count }, (_, place) => {
    const stream = createStream(deriveSeed('mcp', 'desk', seed, place));
    const desk = drawDesk(stream);
    const kind = names[place % names.length]!;
    const plan = kinds[kind]!(desk, stream);
    const { todos, values } = plan.end;
    return {
      id: `${kind}-${place}`,
      goal: plan.goal,
      setup: { calls: setUp(plan.start ?? desk) },
      check: {
        calls: [
          {
            tool: 'show_all',
            equals: {
              todos: todos.map(({ text, isDone }) => `${isDone ? 'done' : 'open'}: ${text}`),
              values,
            },
          },
        ],
        ...(plan.answer !== undefined && { answer: { equals: plan.answer } }),
      },
      solution: { calls: plan.calls, ...(plan.answer !== undefined && { answer: plan.answer }) },
    };
  });
  const file = taskFile.parse({ server: { builtIn: 'desk' }, tools: deskTools, tasks });
  return data.splitTasks(
    file.tasks.map((task) => ({
      ...task,
      tools: deskTools,
      server: file.server,
      here: '',
      place: `generated task "${task.id}"`,
    })),
    groupOf,
  );
}
