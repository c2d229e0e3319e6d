/** @file One player of a database: the task, the database, and what was shown last. */
import type { Observation, StepResult } from '@espalier/plugin-kit';
import { isRightAnswer } from './answer.js';
import { type Row, showRows } from './cells.js';
import { Database } from './database.js';
import type { Engine } from './engine.js';
import { openSource, type SqlOptions } from './source.js';
import type { Prepared } from './task.js';

/** An episode as plain JSON; the database is made again from the seed and the statements that changed it. */
export interface State {
  readonly seed: number;
  readonly task: Prepared;
  readonly schema: readonly string[];
  readonly log: readonly string[];
  /** lines that the last action showed */
  readonly output: readonly string[];
  /** rows that it showed, where they are whole */
  readonly rows: readonly Row[] | null;
  /** hash of the database at the start, and now */
  readonly start: string;
  readonly hash: string;
  readonly reward: number | null;
}

const nothing: Prepared = {
  name: '',
  kind: 'query',
  question: '',
  reference: [],
  rows: [],
  isOrdered: false,
  goal: '',
};
/** Characters of an error that are shown. */
const maxError = 300;

/** A player. */
export class Session {
  state: State = {
    seed: 0,
    task: nothing,
    schema: [],
    log: [],
    output: [],
    rows: null,
    start: '',
    hash: '',
    reward: null,
  };
  private database: Database | undefined;

  constructor(private readonly options: SqlOptions) {}

  observe(): Observation {
    const { task, output, hash, reward } = this.state;
    const text = [`Task: ${task.question}`, ...output].join('\n');
    return { text, stateKey: `${hash} ${reward === null ? '' : 'ended '}${text}` };
  }

  begin(engine: Engine, seed: number): Observation {
    this.close();
    const { task, image } = openSource(this.options).taskOf(seed);
    this.database = new Database(engine, image);
    const { schema, hash } = image;
    const output = showTables(schema, this.options.characters);
    this.state = { seed, task, schema, log: [], output, rows: null, start: hash, hash, reward: null };
    return this.observe();
  }

  act(engine: Engine, action: string): StepResult {
    const before = this.observe().stateKey;
    const { task, reward } = this.state;
    const stated = reward === null ? answerOf(action, task) : undefined;
    let valid = reward === null;
    if (stated !== undefined) this.end(stated);
    else if (valid) valid = this.query(engine, action);
    const observation = this.observe();
    return {
      observation,
      reward: stated === undefined ? 0 : (this.state.reward ?? 0),
      done: this.state.reward !== null,
      success: this.state.reward === 1,
      valid,
      effective: observation.stateKey !== before,
      ...(stated === undefined && reward === null && { metrics: { failed_statements: valid ? 0 : 1 } }),
    };
  }

  restore(state: State): void {
    this.close();
    this.state = state;
  }

  close(): void {
    this.database?.close();
    this.database = undefined;
  }

  private end(stated: string): void {
    const { task, hash } = this.state;
    const isChange = task.kind === 'change';
    const isRight = isChange ? hash === task.goal : isRightAnswer(stated, task.rows, task.isOrdered);
    const output = isRight ? 'Correct.' : isChange ? 'The database is not as asked.' : 'Wrong.';
    this.state = { ...this.state, rows: null, output: [output], reward: isRight ? 1 : 0 };
  }

  /** The database of a state that was restored. */
  private reopen(engine: Engine): Database {
    const reopened = new Database(engine, openSource(this.options).imageOf(this.state.seed));
    for (const statement of this.state.log) reopened.run(statement, this.options);
    return reopened;
  }

  private query(engine: Engine, statement: string): boolean {
    const database = (this.database ??= this.reopen(engine));
    const { error, columns, rows, hasMore, changes } = database.run(statement, this.options);
    const { hash } = database;
    const log = hash === this.state.hash ? this.state.log : [...this.state.log, statement];
    if (error !== undefined) {
      this.state = { ...this.state, log, hash, rows: null, output: [`Error: ${cut(error, maxError)}`] };
      return false;
    }
    const shown = columns.length === 0 ? undefined : showRows(columns, rows, hasMore, this.options);
    const changed = changes === undefined ? [] : [`${changes} ${changes === 1 ? 'row' : 'rows'} changed`];
    this.state = {
      ...this.state,
      log,
      hash,
      rows: shown?.isWhole === true ? rows : null,
      output: [...(shown?.lines ?? []), ...changed],
    };
    return true;
  }
}

/** What follows `answer`, between the first bracket and the last; `done` where the database is judged. */
function answerOf(action: string, { kind }: Prepared): string | undefined {
  const text = action.trim();
  if (kind === 'change' && /^done[.;]?$/i.test(text)) return '';
  const start = /^answer\s*\[/i.exec(text)?.[0].length;
  const end = text.lastIndexOf(']');
  return start === undefined || end < start ? undefined : text.slice(start, end);
}

function showTables(schema: readonly string[], most: number): string[] {
  const text = schema.join('\n');
  const cutText = cut(text, most);
  return [
    'Tables:',
    ...cutText.split('\n'),
    ...(cutText === text ? [] : ['more tables are in sqlite_master']),
  ];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
