/** @file The environment: a task on a database, statements, and an answer. */
import { createStream, type EnvironmentInstance } from '@espalier/plugin-kit';
import { loadEngine, loadedEngine } from './engine.js';
import { Session, type State } from './session.js';
import type { SqlOptions } from './source.js';

/** Creates one session; `reset` gives it a task and a database. */
export function createSql(options: SqlOptions): EnvironmentInstance {
  const session = new Session(options);
  return {
    // only the first call of a process waits for SQLite
    reset: ({ state: seed }) => {
      const engine = loadedEngine();
      if (engine !== undefined) return session.begin(engine, seed);
      return loadEngine().then((one) => session.begin(one, seed));
    },
    step: (action) => {
      const engine = loadedEngine();
      if (engine !== undefined) return session.act(engine, action);
      return loadEngine().then((one) => session.act(one, action));
    },
    render: () => [session.state.task.question, '-'.repeat(40), ...session.state.output].join('\n'),
    close: () => session.close(),
    oracle: () => planOf(session.state),
    sampleAction: (seed) => sampleAction(session.state, seed),
    explain: ([action = '']) => {
      const isQuery = session.state.task.kind === 'query';
      if (/^(?:answer\s*\[|done$)/.test(action))
        return isQuery ? 'The result answers the question.' : 'The database is as asked.';
      return isQuery ? 'I ask the database for it.' : 'I change what the task names.';
    },
    facts: () => factsOf(session.state),
    snapshot: () => session.state,
    restore: (snapshot) => session.restore(snapshot as State),
  };
}

function factsOf(state: State): Readonly<Record<string, unknown>> {
  const { task, schema, output, rows, hash, start } = state;
  return {
    kind: task.kind,
    question: task.question,
    tables: [...schema],
    reference: [...task.reference],
    answer: [...task.rows],
    output: [...output],
    rows,
    isChanged: hash !== start,
    isGoal: hash === task.goal,
  };
}

/** The reference, then the answer; no change where the database is no longer as its reference needs it. */
function planOf({ task, schema, output, rows, reward, start, hash }: State): string[] {
  if (reward !== null) return [];
  if (task.kind === 'change') {
    if (hash === task.goal) return ['done'];
    return hash === start ? [...task.reference, 'done'] : [];
  }
  const answer = `answer[${JSON.stringify(task.rows)}]`;
  if (rows !== null && JSON.stringify(rows) === JSON.stringify(task.rows)) return [answer];
  if (hash !== start) return [answer];
  if (task.reference.length > 0) return [...task.reference, answer];
  // only the answer is known; a look at the table goes before it, since answers have to be read there
  const table = nameOf(schema[0] ?? '');
  const hasLooked = output[0]?.startsWith('columns ') === true;
  return table === undefined || hasLooked ? [answer] : [`SELECT * FROM ${table}`, answer];
}

/** The name of a table, from the line that shows its columns. */
const nameOf = (line: string): string | undefined => /^("(?:[^"]|"")*"|\w+)\(/.exec(line)?.[1];

/** A look at a table or at the list of tables, or now and then an answer. */
function sampleAction({ schema, start, hash, reward, task }: State, seed: number): string {
  const stream = createStream(seed);
  const choice = stream.int(8);
  if (choice === 0 && reward === null && task.kind === 'query') return `answer[[${stream.int(100)}]]`;
  const table = nameOf(stream.pick(schema));
  if (choice === 1 || start !== hash || table === undefined) return 'SELECT name FROM sqlite_master';
  if (choice < 4) return `SELECT count(*) FROM ${table}`;
  return `SELECT * FROM ${table} LIMIT ${1 + stream.int(3)}`;
}
