/** @file What a statement of the player may do; SQLite asks for each part of it while it is compiled. */

/** SQLite's numbers of what a statement does (`SQLITE_CREATE_INDEX`, …). */
const action = {
  createIndex: 1,
  createTable: 2,
  createTrigger: 7,
  createView: 8,
  delete: 9,
  dropIndex: 10,
  dropTable: 11,
  dropTrigger: 16,
  dropView: 17,
  insert: 18,
  pragma: 19,
  read: 20,
  select: 21,
  transaction: 22,
  update: 23,
  attach: 24,
  detach: 25,
  alterTable: 26,
  reindex: 27,
  createVirtualTable: 29,
  dropVirtualTable: 30,
  function: 31,
  savepoint: 32,
  recursive: 33,
} as const;

const refused = new Map<number, string>([
  [action.pragma, 'PRAGMA is not allowed; sqlite_master lists the tables'],
  [action.attach, 'other databases are not allowed: no ATTACH, VACUUM'],
  [action.detach, 'other databases are not allowed: no DETACH'],
  [action.transaction, 'each statement is a transaction of its own: no BEGIN, COMMIT, ROLLBACK'],
  [action.savepoint, 'each statement is a transaction of its own: no SAVEPOINT, RELEASE'],
  [action.createTrigger, 'triggers are not allowed'],
  [action.createVirtualTable, 'virtual tables are not allowed'],
  [action.dropVirtualTable, 'virtual tables are not allowed'],
]);

const schemaChanges: ReadonlySet<number> = new Set([
  action.createIndex,
  action.createTable,
  action.createView,
  action.dropIndex,
  action.dropTable,
  action.dropTrigger,
  action.dropView,
  action.alterTable,
]);

const rowChanges: ReadonlySet<number> = new Set([action.insert, action.update, action.delete]);

const harmless: ReadonlySet<number> = new Set([
  action.select,
  action.read,
  action.function,
  action.recursive,
  action.reindex,
]);

/** Functions whose value is not a matter of the database alone, or that reach beyond it. */
const refusedFunctions: ReadonlySet<string> = new Set([
  'random',
  'randomblob',
  'load_extension',
  'last_insert_rowid',
  'changes',
  'total_changes',
  'fts3_tokenizer',
  'sqlite_log',
]);

/** SQLite's own tables that may be read. */
const ownTables: ReadonlySet<string> = new Set(['sqlite_master', 'sqlite_schema', 'sqlite_sequence']);
/** Tables that show memory, pages and byte code of the engine. */
const innerTables: ReadonlySet<string> = new Set(['dbstat', 'bytecode', 'tables_used', 'completion']);

/** What is found out about a statement while it is compiled. */
export interface Findings {
  /** why it is refused */
  refusal?: string;
  /** tables whose rows it may change */
  readonly tables: Set<string>;
  changesSchema: boolean;
}

/** Judges one part of a statement; returns whether it is allowed. */
export function judge(
  findings: Findings,
  code: number,
  name: string,
  argument: string,
  database: string,
): boolean {
  const refusal = refusalOf(code, name.toLowerCase(), argument.toLowerCase(), database);
  if (refusal !== undefined) {
    findings.refusal ??= refusal;
    return false;
  }
  if (rowChanges.has(code) && !name.startsWith('sqlite_')) findings.tables.add(name);
  if (schemaChanges.has(code)) findings.changesSchema = true;
  return true;
}

function refusalOf(code: number, name: string, argument: string, database: string): string | undefined {
  if (code === action.function && refusedFunctions.has(argument))
    return `the function ${argument} is not allowed`;
  // ALTER TABLE looks there for temporary tables, of which there are none
  if (name === 'sqlite_temp_master' && (code === action.read || code === action.update)) return undefined;
  if (database !== '' && database !== 'main' && code !== action.function)
    return 'temporary tables and other databases are not allowed';
  if (code === action.read || rowChanges.has(code)) {
    const isInner = name.startsWith('pragma_') || name.startsWith('sqlite_') || innerTables.has(name);
    if (isInner && !ownTables.has(name)) return `the table ${name} is not allowed`;
  }
  if (harmless.has(code) || rowChanges.has(code) || schemaChanges.has(code)) return undefined;
  return refused.get(code) ?? 'this kind of statement is not allowed';
}
