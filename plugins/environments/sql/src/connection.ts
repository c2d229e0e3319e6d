/** @file One open database, and how a statement runs on it within its limits. */
import type { CAPI, PreparedStatement } from '@sqlite.org/sqlite-wasm';
import { type Cell, type Row, toCell } from './cells.js';
import { type Engine, period, type Watch } from './engine.js';
import { findHeavy, type View } from './weight.js';

/** What a statement may use. */
export interface Bounds {
  /** instructions of SQLite's machine */
  readonly instructions: number;
  /** rows that are fetched; one more is looked for */
  readonly rows: number;
}

/** What came of a statement. */
export interface Outcome {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** there are more rows than were fetched */
  readonly hasMore: boolean;
  /** rows inserted, changed or deleted; undefined for a statement that only reads */
  readonly changes?: number;
  /** why it failed; then it has changed nothing */
  readonly error?: string;
  readonly ended?: 'instructions' | 'time';
  readonly instructions: number;
  /** tables whose rows may have changed */
  readonly tables: readonly string[];
  readonly changesSchema: boolean;
}

/** Longest statement, and longest text, BLOB or row of a statement, in bytes. */
export const maxStatement = 10_000;
export const maxRowBytes = 16_384;
/** Most columns of a table, or of a result. */
export const maxColumns = 200;
/** The safety net: this long, and this much longer per instruction; about 40 times what a machine needs that is not busy. */
const baseMs = 5000;
const msPerInstruction = 0.02;

type Limit = Parameters<CAPI['sqlite3_limit']>[1];

/** SQLite's numbers of its limits, and ours. */
const limits: readonly (readonly [number, number])[] = [
  [0, maxRowBytes],
  [1, maxStatement],
  [2, maxColumns],
  [3, 100], // depth of an expression
  [4, 20], // parts of UNION
  [5, 50_000], // instructions of a compiled statement
  [6, 20], // arguments of a function
  [7, 0], // attached databases
  [8, 200], // bytes of a pattern of LIKE
  [9, 100], // parameters
  [10, 8], // triggers within triggers
];
/** Growth of a database: twice its size and this many pages of 4 kB. */
const sparePages = 1024;

/** Opens a copy of a database; without bytes, an empty one. */
export class Connection {
  private readonly pointer: number;
  private readonly database: InstanceType<Engine['sqlite']['oo1']['DB']>;
  private views: readonly View[] | undefined;

  constructor(
    private readonly engine: Engine,
    bytes?: Uint8Array,
  ) {
    const { capi, wasm, oo1 } = engine.sqlite;
    const database = new oo1.DB(':memory:');
    this.pointer = database.pointer! as unknown as number;
    this.database = database;
    if (bytes !== undefined) {
      const copy = wasm.allocFromTypedArray(bytes);
      const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
      this.database.checkRc(
        capi.sqlite3_deserialize(this.pointer, 'main', copy, bytes.length, bytes.length, flags),
      );
    }
    capi.sqlite3_db_config(this.pointer, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
    // as SQLite elsewhere: "text" is a string where no column is called so
    capi.sqlite3_db_config(this.pointer, capi.SQLITE_DBCONFIG_DQS_DML, 1, 0);
    capi.sqlite3_db_config(this.pointer, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
    capi.sqlite3_set_authorizer(this.pointer, engine.authorizer as never, 0);
    capi.sqlite3_progress_handler(this.pointer, period, engine.progress as never, 0);
  }

  /** From now on statements are held to the limits of lengths and size. */
  guard(): this {
    const [pages = 0] = this.values('PRAGMA page_count');
    this.database.exec(`PRAGMA max_page_count = ${Number(pages) * 2 + sparePages}`);
    for (const [name, value] of limits)
      this.engine.sqlite.capi.sqlite3_limit(this.pointer, name as Limit, value);
    return this;
  }

  /** Runs statements of our own, without limits. */
  script(text: string): void {
    this.database.exec(text);
  }

  /** All rows of a statement of our own. @throws where SQLite cannot read the database */
  rows(text: string): Row[] {
    const statement = this.database.prepare(text);
    const { capi } = this.engine.sqlite;
    try {
      const rows: Row[] = [];
      while (statement.step())
        rows.push(readRow(capi, statement.pointer! as unknown as PreparedStatement, statement.columnCount));
      return rows;
    } finally {
      statement.finalize();
    }
  }

  /** The first column of them. */
  values(text: string): Cell[] {
    return this.rows(text).map(([first = null]) => first);
  }

  /** Runs a statement of the player, who may write anything. */
  run(text: string, { instructions, rows }: Bounds): Outcome {
    const watch: Watch = {
      findings: { tables: new Set(), changesSchema: false },
      spent: 0,
      instructions,
      deadline: performance.now() + baseMs + instructions * msPerInstruction,
    };
    const { wasm } = this.engine.sqlite;
    const scope = wasm.scopedAllocPush();
    this.engine.watch = watch;
    let result: Partial<Outcome>;
    try {
      result = this.execute(text, rows, watch);
    } finally {
      this.engine.watch = undefined;
      wasm.scopedAllocPop(scope);
    }
    const { refusal, tables, changesSchema } = watch.findings;
    const { error = undefined } = result;
    if (changesSchema) this.views = undefined;
    return {
      columns: [],
      rows: [],
      hasMore: false,
      instructions: watch.spent,
      tables: error === undefined ? [...tables] : [],
      changesSchema: error === undefined && changesSchema,
      ...result,
      ...(error !== undefined && { error: endOf(watch) ?? refusal ?? error }),
      ...(watch.ended !== undefined && { ended: watch.ended }),
    };
  }

  private execute(given: string, most: number, watch: Watch): Partial<Outcome> {
    const { capi, wasm } = this.engine.sqlite;
    // halves of a pair are all the same to SQLite; so that names are compared as it does
    const text = given.replace(/\p{Cs}/gu, '\ufffd');
    if (text.includes('\0')) return { error: 'a statement has no NUL characters' };
    if (text.length > maxStatement) return { error: `a statement has at most ${maxStatement} characters` };
    const heavy = findHeavy(text, (this.views ??= this.readViews()));
    if (heavy !== undefined) return { error: heavy };
    const target = wasm.scopedAlloc(16);
    const end = target + 8;
    const compile = (from: number): number => {
      wasm.pokePtr(target, 0).pokePtr(end, 0);
      const code = capi.sqlite3_prepare_v3(this.pointer, from, -1, 0, target, end);
      return code === 0 ? wasm.peekPtr(target) : -1;
    };
    const statement = compile(wasm.scopedAllocCString(text, false));
    if (statement === -1) return { error: this.error() };
    if (statement === 0) return { error: 'there is no statement' };
    try {
      const rest = wasm.peekPtr(end);
      if (wasm.peek(rest, 'i8') !== 0) {
        const next = compile(rest);
        if (next > 0) capi.sqlite3_finalize(next as unknown as PreparedStatement);
        if (next !== 0) return { error: 'one statement at a time' };
      }
      return this.step(statement as unknown as PreparedStatement, most, watch);
    } finally {
      capi.sqlite3_finalize(statement as unknown as PreparedStatement);
    }
  }

  private step(statement: PreparedStatement, most: number, watch: Watch): Partial<Outcome> {
    const { capi } = this.engine.sqlite;
    const isReading = capi.sqlite3_stmt_readonly(statement) !== 0;
    const width = capi.sqlite3_column_count(statement);
    const columns = Array.from({ length: width }, (_, at) => capi.sqlite3_column_name(statement, at));
    const rows: Row[] = [];
    const before = capi.sqlite3_total_changes(this.pointer);
    let code = capi.sqlite3_step(statement);
    for (; code === capi.SQLITE_ROW && rows.length < most; code = capi.sqlite3_step(statement))
      rows.push(readRow(capi, statement, width));
    const hasMore = code === capi.SQLITE_ROW;
    // a change is counted, and kept, where all of its rows have been returned
    while (!isReading && code === capi.SQLITE_ROW) code = capi.sqlite3_step(statement);
    watch.spent = Math.max(
      watch.spent,
      capi.sqlite3_stmt_status(statement, capi.SQLITE_STMTSTATUS_VM_STEP, 0),
    );
    if (code !== capi.SQLITE_ROW && code !== capi.SQLITE_DONE) return { error: this.error() };
    return {
      columns,
      rows,
      hasMore,
      ...(!isReading && { changes: capi.sqlite3_total_changes(this.pointer) - before }),
    };
  }

  private readViews(): readonly View[] {
    const rows = this.rows(`SELECT name, sql FROM sqlite_master WHERE type = 'view'`);
    return rows.map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
  }

  private error(): string {
    return this.engine.sqlite.capi.sqlite3_errmsg(this.pointer);
  }

  /** The database as the bytes of a file. */
  bytes(): Uint8Array {
    return this.engine.sqlite.capi.sqlite3_js_db_export(this.pointer);
  }

  close(): void {
    this.database.close();
  }
}

/** The current row; numbers are read without the detour over a value that SQLite would copy. */
function readRow(capi: CAPI, statement: PreparedStatement, width: number): Row {
  const row: Cell[] = [];
  for (let at = 0; at < width; at += 1) {
    const type = capi.sqlite3_column_type(statement, at);
    if (type === capi.SQLITE_TEXT) row.push(capi.sqlite3_column_text(statement, at));
    else if (type === capi.SQLITE_NULL) row.push(null);
    else if (type === capi.SQLITE_FLOAT) row.push(toCell(capi.sqlite3_column_double(statement, at)));
    else row.push(toCell(capi.sqlite3_column_js(statement, at) as unknown));
  }
  return row;
}

function endOf({ ended, instructions }: Watch): string | undefined {
  if (ended === 'instructions') return `ended after ${instructions} instructions; ask for less`;
  return ended === 'time' ? 'ended, as it took too long; ask for less' : undefined;
}
