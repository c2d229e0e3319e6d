/** @file Where tasks come from: a shop made from a seed, Chinook, DBBench, or files. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { AppError, createStream, data, deriveSeed, splitOfSeed } from '@espalier/plugin-kit';
import { chinookTemplates } from './chinook.js';
import { Connection } from './connection.js';
import { type Image, makeImage } from './database.js';
import type { Row } from './cells.js';
import { type Engine, loadedEngine } from './engine.js';
import { makeShop, shopTemplates } from './shop.js';
import { type Loaded, imageOfBytes, loadTasks, readDatabase } from './task-files.js';
import { type Prepared, prepareTask, type Room, type Task } from './task.js';
import { drawTask, fillTemplate, templatesOf } from './templates.js';

export type DatabaseSource =
  | { readonly source: 'generated' | 'chinook' | 'dbbench' }
  | {
      readonly source: 'files';
      readonly database?: string | undefined;
      readonly tasks: readonly string[];
      readonly test?: readonly string[] | undefined;
    };

export interface SqlOptions extends Room {
  readonly database: DatabaseSource;
  readonly kinds: 'both' | 'query' | 'change';
}

/** The tasks of one set of options. */
export interface TaskSource {
  /** the database in which the episode of a seed begins */
  imageOf(seed: number): Image;
  taskOf(seed: number): { readonly task: Prepared; readonly image: Image };
}

/** How many sets of tasks a process keeps. */
const kept = 4;
/** Opens the tasks of options; checks them all where they are read from files. */
export function openSource(options: SqlOptions): TaskSource {
  return openOnce(options);
}

const openOnce = data.openOnce(
  (options: SqlOptions): TaskSource => {
    const engine = loadedEngine()!;
    const { source } = options.database;
    if (source === 'generated') return shopSource(engine, options);
    return source === 'chinook' ? chinookSource(engine, options) : fileSource(engine, options);
  },
  ({ database }) =>
    database.source === 'files'
      ? [
          ...database.tasks,
          ...(database.test ?? []),
          ...(database.database === undefined ? [] : [database.database]),
        ]
      : [],
  kept,
);

/** How many tasks a source remembers. */
const remembered = 64;
/** Enough draws to find one of a tenth of all tasks. */
const maxDraws = 400;

/** A shop for each seed. The question says to which split a task belongs, so that no split asks what another does. */
function shopSource(engine: Engine, options: SqlOptions): TaskSource {
  const templates = templatesOf(shopTemplates, options.kinds);
  const imageOf = memo((seed: number): Image => makeImage(engine, makeShop(seed)));
  return {
    imageOf,
    taskOf: memo((seed) => {
      const image = imageOf(seed);
      const { split } = splitOfSeed(seed);
      const stream = createStream(deriveSeed('sql task', seed));
      const rowsOf = memo((statement: string) => readRows(engine, image, statement));
      for (let draw = 0; draw < maxDraws; draw += 1) {
        const task = drawTask(templates, rowsOf, stream);
        if (task === undefined || splitOfQuestion(task.question) !== split) continue;
        const prepared = prepareTask(engine, image, task, options);
        if (typeof prepared !== 'string') return { task: prepared, image };
      }
      throw noTask(split);
    }),
  };
}

/** The split that asks a question of the shop: a tenth each for validation and test. */
export function splitOfQuestion(question: string): 'train' | 'validation' | 'test' {
  const tenth = Math.floor((deriveSeed('sql task split', question) / 2 ** 32) * 10);
  return tenth === 0 ? 'validation' : tenth === 1 ? 'test' : 'train';
}

/** Most tasks of one pattern. */
const maxOfTemplate = 120;

function chinookSource(engine: Engine, options: SqlOptions): TaskSource {
  const bytes = new Uint8Array(gunzipSync(shippedFile('chinook.sqlite.gz')));
  const image = imageOfBytes(engine, bytes, (finding) =>
    data.invalidData('chinook.sqlite', 'opening it', finding),
  );
  const tasks = templatesOf(chinookTemplates, options.kinds).flatMap((template, place): Task[] => {
    const rows = template.values === undefined ? [[]] : readRows(engine, image, template.values);
    const drawn = createStream(deriveSeed('chinook', place)).shuffle(rows).slice(0, maxOfTemplate);
    return drawn.map((values) => fillTemplate(template, values));
  });
  const splits = data.splitTasks(tasks, ({ question }) => question);
  return {
    imageOf: () => image,
    taskOf: memo((seed) => {
      const { split, index } = splitOfSeed(seed);
      const list = splits[split];
      for (let next = 0; next < Math.min(maxDraws, list.length); next += 1) {
        const prepared = prepareTask(engine, image, list[(index + next) % list.length]!, options);
        if (typeof prepared !== 'string') return { task: prepared, image };
      }
      throw noTask(split);
    }),
  };
}

/** Values of a function that a group of episodes asks for again and again. */
function memo<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = make(key);
    const [oldest] = known.keys();
    if (known.size >= remembered && oldest !== undefined) known.delete(oldest);
    known.set(key, value);
    return value;
  };
}

function fileSource(engine: Engine, options: SqlOptions): TaskSource {
  const splits = openFiles(engine, options);
  const taskOf = (seed: number): Loaded => data.taskOfSeed(splits, seed);
  return {
    imageOf: (seed) => taskOf(seed).image,
    taskOf: (seed) => {
      const { image, ...task } = taskOf(seed);
      return { task, image };
    },
  };
}

/** DBBench's development tasks are for training and validation, its standard ones for test. */
function openFiles(engine: Engine, options: SqlOptions): data.TaskSplits<Loaded> {
  const { database, kinds } = options;
  const wanted = ({ kind }: Prepared): boolean => kinds === 'both' || kinds === kind;
  const groupOf = ({ question }: Prepared): string => question;
  if (database.source !== 'files') {
    const lines = gunzipSync(shippedFile('dbbench.jsonl.gz')).toString().trim().split('\n');
    const records = lines.map((line, at) => ({
      value: JSON.parse(line) as unknown,
      place: `line ${at + 1}`,
    }));
    const all = loadTasks(engine, 'dbbench.jsonl', records, undefined, options).filter(wanted);
    const isTest = ({ name }: Prepared): boolean => name.startsWith('standard');
    return data.splitTasks(
      all.filter((task) => !isTest(task)),
      groupOf,
      all.filter(isTest),
    );
  }
  const shared = database.database === undefined ? undefined : readDatabase(engine, database.database);
  const read = (files: readonly string[]): Loaded[] =>
    files.flatMap((file) => loadTasks(engine, file, data.readRecords(file), shared, options)).filter(wanted);
  return data.splitTasks(
    read(database.tasks),
    groupOf,
    database.test === undefined ? undefined : read(database.test),
  );
}

function shippedFile(name: string): Buffer {
  return readFileSync(new URL(`../data/${name}`, import.meta.url));
}

/** Rows of a statement of our own. */
function readRows(engine: Engine, image: Image, statement: string): Row[] {
  engine.current?.suspend();
  const connection = new Connection(engine, image.bytes);
  try {
    return connection.rows(statement);
  } finally {
    connection.close();
  }
}

function noTask(split: string): AppError {
  return new AppError(
    'plugin.failed',
    `reset: found no task for the split ${split} whose result can be shown; raise \`rows\`, \`characters\` or \`instructions\``,
  );
}
