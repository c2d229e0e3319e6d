/** @file A task on a database, and what its reference does there. */
import type { Row } from './cells.js';
import { areSameRows, showRows } from './cells.js';
import { Database, type Image } from './database.js';
import type { Engine } from './engine.js';
import { isOrdered } from './tokens.js';

/** What is asked. */
export interface Task {
  readonly name: string;
  /** `query`: the result of the reference is to be stated; `change`: the database is to be as it leaves it */
  readonly kind: 'query' | 'change';
  readonly question: string;
  /** one statement, or several of a change; none where only the answer is known */
  readonly reference: readonly string[];
  /** what a query is to state, where the task says so itself; else it is the result of the reference */
  readonly answer?: readonly Row[] | undefined;
}

/** A task with what its reference does. */
export interface Prepared extends Task {
  /** result of a query */
  readonly rows: readonly Row[];
  readonly isOrdered: boolean;
  /** hash of the database after a change */
  readonly goal: string;
}

/** What a player may use and sees. */
export interface Room {
  readonly instructions: number;
  readonly rows: number;
  readonly characters: number;
}

/** References may run this much longer, so that the error says how much they need. */
const referenceFactor = 10;

/** Runs the reference of a task on a copy. Returns why the task cannot be used, as a text. */
export function prepareTask(engine: Engine, image: Image, task: Task, room: Room): Prepared | string {
  const { answer } = task;
  if (answer?.length === 0) return 'its answer is empty';
  if (answer !== undefined && task.reference.length === 0)
    return { ...task, rows: answer, isOrdered: false, goal: image.hash };
  const database = new Database(engine, image);
  const bounds = { instructions: room.instructions * referenceFactor, rows: room.rows };
  let rows: readonly Row[] = [];
  try {
    for (const statement of task.reference) {
      const outcome = database.run(statement, bounds);
      if (outcome.error !== undefined) return `its reference fails: ${outcome.error}`;
      if (outcome.instructions >= room.instructions)
        return `its reference takes ${outcome.instructions} instructions; raise \`instructions\` above that`;
      if (task.kind === 'change') continue;
      if (outcome.columns.length === 0) return 'its reference has no result; expected a SELECT';
      if (outcome.rows.length === 0) return 'the result of its reference is empty';
      if (!showRows(outcome.columns, outcome.rows, outcome.hasMore, room).isWhole)
        return 'the result of its reference is more than is shown; raise `rows` or `characters`, or ask for less';
      rows = outcome.rows;
    }
    if (task.kind === 'change' && database.hash === image.hash) return 'its reference changes nothing';
    if (answer !== undefined && !areSameRows(answer, rows, false))
      return 'the result of its reference is not its answer; correct one of them, or give the answer alone';
    return { ...task, rows, isOrdered: isOrdered(task.reference[0] ?? ''), goal: database.hash };
  } finally {
    database.close();
  }
}
