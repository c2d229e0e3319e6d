/** @file The tasks of tau-bench's retail domain, each with what its reference does. */
import { data } from '@espalier/plugin-kit';
import { type Call, openShop, type RawTask, type Shop, Store } from './store.js';
import { readInstruction } from './talk.js';
import { callTool, isChanging } from './tools.js';

/** A task as plain JSON. */
export interface Task {
  readonly name: string;
  readonly user: string;
  readonly sentences: readonly string[];
  readonly calls: readonly Call[];
  readonly outputs: readonly string[];
  /** hash of the data at the beginning and after each call of the reference that changes something */
  readonly hashes: readonly string[];
}

/** Prepares a task. Like tau-bench, a call of the reference that is refused is passed over. */
export function prepareTask(shop: Shop, { name, user, instruction, calls, outputs }: RawTask): Task {
  const store = new Store(shop);
  const hashes = [''];
  const done: Call[] = [];
  for (const call of calls) {
    const { isError } = callTool(store, call);
    if (isError) continue;
    done.push(call);
    if (isChanging(call.name)) hashes.push(store.hash());
  }
  return { name, user, sentences: readInstruction(instruction), calls: done, outputs, hashes };
}

/** A task that asks for nothing to be changed or told is solved by doing nothing; such ones are left out. */
export function asksForSomething({ hashes, outputs }: Task): boolean {
  return hashes.at(-1) !== '' || outputs.length > 0;
}

/** The tasks: train, dev as validation, and test. */
export const openTasks = data.openOnce(
  (_source: object): { readonly shop: Shop; readonly splits: data.TaskSplits<Task> } => {
    const { shop, tasks } = openShop({});
    const prepare = (list: readonly RawTask[]): Task[] =>
      list.map((task) => prepareTask(shop, task)).filter(asksForSomething);
    return {
      shop,
      splits: { train: prepare(tasks.train), validation: prepare(tasks.dev), test: prepare(tasks.test) },
    };
  },
  () => [],
  1,
);
