/** @file The small server that comes with the environment: a desk with to-dos and values under keys. */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

interface Todo {
  readonly id: number;
  readonly text: string;
  readonly isDone: boolean;
}

type Result = { content: { type: 'text'; text: string }[]; isError?: boolean };

const say = (text: string): Result => ({ content: [{ type: 'text', text }] });
const refuse = (text: string): Result => ({ ...say(text), isError: true });

const id = z.int().describe('number of the to-do');
const key = z.string().min(1).max(60);
const readOnly = { annotations: { readOnlyHint: true } };

/** A desk with nothing on it. */
export class Desk {
  #todos: readonly Todo[] = [];
  #next = 1;
  readonly #values = new Map<string, string>();

  /** A server of this desk; each connection has one. */
  createServer(): McpServer {
    const server = new McpServer({ name: 'desk', version: '0.1.0' });
    this.#offerTodos(server);
    this.#offerValues(server);
    server.registerTool(
      'show_all',
      { description: 'Shows all that is on the desk as JSON.', ...readOnly },
      () => say(JSON.stringify(this.state())),
    );
    return server;
  }

  /** All that is on the desk. */
  state(): { readonly todos: readonly string[]; readonly values: Readonly<Record<string, string>> } {
    return {
      todos: this.#todos.map(({ text, isDone }) => `${isDone ? 'done' : 'open'}: ${text}`),
      values: Object.fromEntries([...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  #offerTodos(server: McpServer): void {
    server.registerTool(
      'list_todos',
      { description: 'Lists the to-dos with their numbers.', ...readOnly },
      () =>
        say(
          this.#todos.map((todo) => `${todo.id} ${todo.isDone ? 'done' : 'open'} ${todo.text}`).join('\n') ||
            'no to-dos',
        ),
    );
    server.registerTool(
      'add_todo',
      {
        description: 'Adds an open to-do.',
        inputSchema: z.strictObject({ text: z.string().min(1).max(200) }),
      },
      ({ text }) => {
        this.#todos = [...this.#todos, { id: this.#next, text, isDone: false }];
        return say(`added ${this.#next++}`);
      },
    );
    server.registerTool(
      'finish_todo',
      { description: 'Marks a to-do as done.', inputSchema: z.strictObject({ id }) },
      (given) => this.#change(given.id, (todo) => [{ ...todo, isDone: true }]),
    );
    server.registerTool(
      'remove_todo',
      { description: 'Removes a to-do.', inputSchema: z.strictObject({ id }) },
      (given) => this.#change(given.id, () => []),
    );
  }

  #change(number: number, replace: (todo: Todo) => readonly Todo[]): Result {
    if (!this.#todos.some((todo) => todo.id === number)) return refuse(`there is no to-do ${number}`);
    this.#todos = this.#todos.flatMap((todo) => (todo.id === number ? replace(todo) : [todo]));
    return say('ok');
  }

  #offerValues(server: McpServer): void {
    server.registerTool('list_keys', { description: 'Lists the keys that have a value.', ...readOnly }, () =>
      say([...this.#values.keys()].sort().join('\n') || 'no keys'),
    );
    server.registerTool(
      'get_value',
      { description: 'Shows the value of a key.', inputSchema: z.strictObject({ key }), ...readOnly },
      (given) => {
        const value = this.#values.get(given.key);
        return value === undefined ? refuse(`there is no key ${given.key}`) : say(value);
      },
    );
    server.registerTool(
      'set_value',
      {
        description: 'Gives a key a value.',
        inputSchema: z.strictObject({ key, value: z.string().max(200) }),
      },
      (given) => {
        this.#values.set(given.key, given.value);
        return say('ok');
      },
    );
    server.registerTool(
      'remove_key',
      { description: 'Removes a key and its value.', inputSchema: z.strictObject({ key }) },
      (given) => (this.#values.delete(given.key) ? say('ok') : refuse(`there is no key ${given.key}`)),
    );
  }
}
