/** @file A database that one episode changes, and what is in it. */
import { createHash } from 'node:crypto';
import type { Row } from './cells.js';
import { type Bounds, Connection, maxColumns, maxRowBytes, type Outcome } from './connection.js';
import type { Engine } from './engine.js';

/** A database as it is at the start of an episode; not changed. */
export interface Image {
  readonly bytes: Uint8Array;
  /** hash of each table's rows */
  readonly tables: ReadonlyMap<string, string>;
  /** hash of all of it */
  readonly hash: string;
  /** one line per table, for the prompt */
  readonly schema: readonly string[];
}

/** A copy of an image. Only one copy has an open connection at a time. */
export class Database {
  private connection: Connection | undefined;
  private bytes: Uint8Array;
  private tables: Map<string, string>;
  private isChanged = false;
  hash: string;

  constructor(
    private readonly engine: Engine,
    image: Image,
  ) {
    this.bytes = image.bytes;
    this.tables = new Map(image.tables);
    this.hash = image.hash;
  }

  /** Runs a statement of the player. */
  run(text: string, bounds: Bounds): Outcome {
    const connection = this.open();
    const outcome = connection.run(text, bounds);
    const { changes = 0, tables, changesSchema } = outcome;
    if (changesSchema || (changes > 0 && tables.length > 0)) {
      this.isChanged = true;
      if (changesSchema) this.tables.clear();
      else for (const name of tables) this.tables.delete(name);
      this.hash = hashDatabase(connection, this.tables);
    }
    return outcome;
  }

  /** Keeps the bytes and closes the connection. */
  suspend(): void {
    if (this.connection !== undefined && this.isChanged) this.bytes = this.connection.bytes();
    this.isChanged = false;
    this.close();
  }

  /** Closes the connection; the copy is not used any more. */
  close(): void {
    this.connection?.close();
    this.connection = undefined;
    if (this.engine.current === this) this.engine.current = undefined;
  }

  private open(): Connection {
    if (this.connection !== undefined) return this.connection;
    this.engine.current?.suspend();
    this.engine.current = this;
    return (this.connection = new Connection(this.engine, this.bytes).guard());
  }
}

/** Makes an image by statements of our own. */
export function makeImage(engine: Engine, script: string): Image {
  engine.current?.suspend();
  const connection = new Connection(engine);
  try {
    connection.script(`BEGIN; ${script}\nCOMMIT;`);
    return imageOf(connection, connection.bytes());
  } finally {
    connection.close();
  }
}

/** A table has more than a statement may read; the message names it and says what to do. */
export class BeyondLimits extends Error {}

/** Reads what is in a database. @throws BeyondLimits */
export function imageOf(connection: Connection, bytes: Uint8Array): Image {
  const tables = new Map<string, string>();
  connection.guard();
  const hash = hashDatabase(connection, tables);
  return { bytes, tables, hash, schema: describeTables(connection) };
}

const quote = (name: unknown): string => `"${String(name as string).replaceAll('"', '""')}"`;
const listTables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;

/** One line per table: `tracks(id INTEGER, name TEXT)`. */
function describeTables(connection: Connection): string[] {
  return connection.values(listTables).map((name) => {
    const columns = connection.rows(`SELECT name, type FROM pragma_table_info(${literal(String(name))})`);
    const list = columns.map(([column, type]) => [nameOf(String(column)), type].filter(Boolean).join(' '));
    return `${nameOf(String(name))}(${list.join(', ')})`;
  });
}

/** A name as a statement has to write it. */
function nameOf(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quote(name);
}

/** A value as a statement has to write it. */
export function literal(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/**
 * The hash of a database: names, columns and types of its tables, their rows in any order, and names of its indexes, views
 * and triggers. Hashes of tables that are known are not made again.
 */
function hashDatabase(connection: Connection, known: Map<string, string>): string {
  for (const name of connection.values(listTables)) {
    const table = String(name);
    if (!known.has(table)) known.set(table, hashTable(connection, table));
  }
  const others = connection.rows(
    `SELECT type, name, tbl_name FROM sqlite_master WHERE type <> 'table' ORDER BY type, name`,
  );
  const tables = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
  return digest(JSON.stringify([tables, others]));
}

function hashTable(connection: Connection, name: string): string {
  const columns = connection.rows(
    `SELECT name, upper(type) FROM pragma_table_info(${literal(name)}) ORDER BY cid`,
  );
  const rows = readTable(connection, name).map(rowKey);
  return digest(JSON.stringify([columns, rows.sort()]));
}

function readTable(connection: Connection, name: string): Row[] {
  try {
    return connection.rows(`SELECT * FROM ${quote(name)}`);
  } catch (error) {
    // SQLite says neither the limit nor the table
    const said = String(error);
    const refuse = (found: string): Error =>
      new BeyondLimits(`table ${nameOf(name)} has ${found}, which no statement may read; leave it out`);
    if (said.includes('SQLITE_TOOBIG')) throw refuse(`a text or BLOB of more than ${maxRowBytes / 1024} kB`);
    if (said.includes('too many columns')) throw refuse(`more than ${maxColumns} columns`);
    throw error;
  }
}

/** Digits of a fraction that count. */
const digits = 12;

function rowKey(row: Row): string {
  return JSON.stringify(
    row.map((cell) =>
      typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(digits)) : cell,
    ),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
