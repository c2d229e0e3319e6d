/** @file Tasks and databases that are read from files: ours, and those of AgentBench's DBBench. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { data } from '@espalier/plugin-kit';
import { z } from 'zod';
import { Connection } from './connection.js';
import { BeyondLimits, type Image, imageOf, literal, makeImage } from './database.js';
import type { Engine } from './engine.js';
import { type Prepared, prepareTask, type Room, type Task } from './task.js';

/** A task, ready, with its database. */
export interface Loaded extends Prepared {
  readonly image: Image;
}

const cell = z.union([z.string(), z.number(), z.null()]);
const table = z.object({
  name: z.string().min(1),
  columns: z.array(z.tuple([z.string().min(1), z.string()])).min(1),
  rows: z.array(z.array(cell)),
});
type Table = z.output<typeof table>;

const ours = z.object({
  name: z.string().min(1).optional(),
  question: z.string().trim().min(1),
  query: z.string().min(1).optional(),
  answer: z.array(z.union([cell, z.array(cell).min(1)])).optional(),
  change: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  table: table.optional(),
});

const dbBench = z.object({
  name: z.string().min(1).optional(),
  description: z.string().trim().min(1),
  type: z.array(z.string()).min(1),
  label: z.array(cell),
  sql: z.object({ query: z.string() }).optional(),
  table: z.object({
    table_name: z.string().min(1),
    table_info: z.object({
      columns: z.array(z.object({ name: z.string(), type: z.string() })).min(1),
      rows: z.array(z.array(cell)),
    }),
  }),
});

interface Parsed {
  readonly task: Task;
  readonly isBench: boolean;
  readonly table?: Table | undefined;
}

/** Reads a task; returns what is wrong with it as a text. */
export function parseTask(value: unknown, fallback: string): Parsed | string {
  const isBench = typeof value === 'object' && value !== null && 'description' in value;
  const parsed = isBench ? dbBench.transform(fromDbBench).safeParse(value) : ours.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.map(String).join('.') || 'the task'}: ${issue?.message ?? 'is invalid'}`;
  }
  const { name = fallback, question, query, answer, change, table: own } = parsed.data;
  const isQuery = query !== undefined || answer !== undefined;
  if (isQuery === (change !== undefined))
    return 'expected `query` or `change`, the reference as SQL, or `answer`, the result';
  const task: Task = {
    name,
    kind: isQuery ? 'query' : 'change',
    question,
    reference: [query ?? change ?? []].flat(),
    answer: answer?.map((row) => (Array.isArray(row) ? row : [row])),
  };
  return { task, isBench, table: own };
}

/** A row of DBBench: a query has its result as label and a sketch of its reference under `sql`, a change its reference as label. */
function fromDbBench({
  name,
  description,
  type,
  label,
  sql,
  table: given,
}: z.output<typeof dbBench>): z.output<typeof ours> {
  const isChange = /^(?:INSERT|UPDATE|DELETE)$/i.test(type[0]!);
  const { columns, rows } = given.table_info;
  return {
    name,
    question: description,
    ...(isChange ? { change: String(label[0] ?? '') } : { answer: label, query: sql?.query }),
    table: { name: given.table_name, columns: columns.map(({ name, type: kind }) => [name, kind]), rows },
  };
}

/** Prepares the tasks of a file. @throws plugin.failed that names the file and the task that cannot be used */
export function loadTasks(
  engine: Engine,
  file: string,
  records: Iterable<data.JsonElement>,
  shared: Image | undefined,
  room: Room,
): Loaded[] {
  const tasks: Loaded[] = [];
  for (const { value, place } of records) {
    const parsed = parseTask(value, place);
    if (typeof parsed === 'string') throw data.invalidData(file, place, parsed);
    const { task, isBench } = parsed;
    const fail = (finding: string): Error =>
      data.invalidData(file, place, `task ${JSON.stringify(task.name)}: ${finding}`);
    const image = parsed.table === undefined ? shared : tableImage(engine, parsed.table);
    if (image === undefined) throw fail('has no `table`; add one, or give `database`');
    if (typeof image === 'string') throw fail(image);
    let prepared = prepareTask(engine, image, task, room);
    // many references of DBBench are no SQL, or contradict the label, by which it judges
    if (typeof prepared === 'string' && isBench && task.answer !== undefined)
      prepared = prepareTask(engine, image, { ...task, reference: [] }, room);
    if (typeof prepared !== 'string') tasks.push({ ...prepared, image });
    else if (!isBench) throw fail(prepared);
  }
  if (tasks.length === 0) throw data.invalidData(file, 'its end', 'has no task; expected question and query');
  return tasks;
}

/** The database of one table. Returns what is wrong with it as a text. */
function tableImage(engine: Engine, { name, columns, rows }: Table): Image | string {
  const wrong = rows.findIndex((row) => row.length !== columns.length);
  if (wrong >= 0) return `row ${wrong + 1} of its table has not ${columns.length} values`;
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const list = columns.map(([column, type]) => `${quote(column)} ${type.replace(/[^\w(), ]/g, '')}`);
  const inserts = rows.map((row) => `INSERT INTO ${quote(name)} VALUES (${row.map(literal).join(', ')});`);
  try {
    return makeImage(engine, `CREATE TABLE ${quote(name)} (${list.join(', ')});\n${inserts.join('\n')}`);
  } catch (error) {
    if (error instanceof BeyondLimits) return error.message;
    return `its table cannot be made: ${messageOf(error)}`;
  }
}

/** Largest database that is read. */
const maxFileBytes = 32 * 2 ** 20;
/** Bytes of the header that say whether changes are kept in a log of their own. */
const logBytes = [18, 19] as const;

/** Reads a database; its file is not changed. @throws plugin.failed that names the file */
export function readDatabase(engine: Engine, file: string): Image {
  const fail = (finding: string): Error => data.invalidData(file, 'opening it', finding);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw fail('there is no such file; give the path of an SQLite database');
  if (stats.size > maxFileBytes)
    throw fail(`has ${stats.size} bytes, more than ${maxFileBytes}; give a smaller database`);
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0)
    throw fail('has changes in its -wal file; close the program that writes it, or `PRAGMA wal_checkpoint`');
  return imageOfBytes(engine, new Uint8Array(readFileSync(file)), fail);
}

/** Opens the bytes of a database and checks them. */
export function imageOfBytes(engine: Engine, bytes: Uint8Array, fail: (finding: string) => Error): Image {
  if (Buffer.from(bytes.subarray(0, 16)).toString('latin1') !== 'SQLite format 3\0')
    throw fail('is not an SQLite database; give one');
  for (const place of logBytes) bytes[place] = 1;
  engine.current?.suspend();
  let connection: Connection | undefined;
  try {
    connection = new Connection(engine, bytes);
    const findings = connection.values('PRAGMA quick_check(3)');
    if (findings.length !== 1 || findings[0] !== 'ok')
      throw fail(
        `is damaged: ${findings.join('; ').replaceAll('\n', '; ').slice(0, 300)}; restore it from a copy`,
      );
    const image = imageOf(connection, bytes);
    if (image.schema.length === 0) throw fail('has no table; give a database with data');
    return image;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'plugin.failed') throw error;
    if (error instanceof BeyondLimits) throw fail(error.message);
    throw fail(`cannot be read: ${messageOf(error)}; restore it from a copy`);
  } finally {
    connection?.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : String(error);
}
