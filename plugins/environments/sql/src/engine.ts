/**
 * @file SQLite as WebAssembly, loaded once for a process. One connection is open at a time, so that the memory limit, which
 * SQLite has per process, is that of a single episode; the databases of the others are kept as bytes.
 */
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { type Findings, judge } from './guard.js';

/** Memory of SQLite, all pages and sorters of one database together. */
const maxHeapBytes = 128 * 2 ** 20;
/** What `date('now')` and the like return: 2025-01-01 00:00 UTC, in Julian milliseconds. */
const fixedNow = 2460676.5 * 86_400_000;
/** A statement is looked at each time it has run so many instructions. */
export const period = 100;

/** The statement that runs. */
export interface Watch {
  readonly findings: Findings;
  /** instructions so far, in whole periods; those of the compilation count as well */
  spent: number;
  readonly instructions: number;
  /** end of the safety net, in milliseconds of `performance.now` */
  readonly deadline: number;
  ended?: 'instructions' | 'time';
}

/** SQLite, with pointers to the functions that it calls while a statement runs. */
export interface Engine {
  readonly sqlite: Sqlite3Static;
  readonly progress: number;
  readonly authorizer: number;
  watch: Watch | undefined;
  /** the database whose connection is open */
  current: { suspend(): void } | undefined;
}

let loading: Promise<Engine> | undefined;
let loaded: Engine | undefined;

/** Loads SQLite; the second time it is at hand. */
export function loadEngine(): Promise<Engine> {
  return (loading ??= createEngine().then((engine) => (loaded = engine)));
}

/** SQLite, if it is loaded. */
export function loadedEngine(): Engine | undefined {
  return loaded;
}

async function createEngine(): Promise<Engine> {
  const { default: load } = await import('@sqlite.org/sqlite-wasm');
  const ignore = (): void => undefined;
  const sqlite = await load({ print: ignore, printErr: ignore });
  const { wasm } = sqlite;
  const text = (pointer: number): string => (pointer === 0 ? '' : (wasm.cstrToJs(pointer) ?? ''));
  const engine: Engine = {
    sqlite,
    progress: wasm.installFunction('i(p)', () => (engine.watch === undefined ? 0 : look(engine.watch))),
    authorizer: wasm.installFunction(
      'i(pipppp)',
      (_data: number, code: number, name: number, argument: number, database: number) =>
        engine.watch === undefined ||
        judge(engine.watch.findings, code, text(name), text(argument), text(database))
          ? 0
          : 1,
    ),
    watch: undefined,
    current: undefined,
  };
  stopClock(sqlite);
  limitMemory(sqlite);
  return engine;
}

/** Counts a period; 1 ends the statement. */
function look(watch: Watch): number {
  watch.spent += period;
  if (watch.spent >= watch.instructions) watch.ended = 'instructions';
  else if (performance.now() > watch.deadline) watch.ended = 'time';
  return watch.ended === undefined ? 0 : 1;
}

/** Fixes the time, so that a statement has the same result on every day. */
function stopClock({ capi, wasm }: Sqlite3Static): void {
  // fields of C structures begin with $, which the types leave out
  const system = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null) as never) as unknown as {
    $xCurrentTimeInt64: number;
    dispose(): void;
  };
  system.$xCurrentTimeInt64 = wasm.installFunction('i(pp)', (_system: number, target: number) => {
    wasm.poke(target, BigInt(fixedNow) as never, 'i64');
    return 0;
  });
  system.dispose();
}

/** The limit holds for all connections from now on; only a pragma sets it in this build. */
function limitMemory({ oo1 }: Sqlite3Static): void {
  const database = new oo1.DB(':memory:');
  database.exec(`PRAGMA hard_heap_limit = ${maxHeapBytes}`);
  database.close();
}
