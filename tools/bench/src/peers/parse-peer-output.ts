/** @file Parses the output of a peer program: lines of JSON objects among the output of its libraries. */
import { AppError } from '@espalier/contracts';

/** One printed line: what was measured, and its numbers by name. */
export interface PeerRecord {
  readonly what: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Reads the records off a program's standard output; lines that are no JSON object with `what` are passed over. */
export function parsePeerOutput(text: string): PeerRecord[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const record = parseObject(line.trim());
    if (record === undefined || typeof record['what'] !== 'string') return [];
    const numbers = Object.entries(record).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
    );
    return [{ what: record['what'], numbers: Object.fromEntries(numbers) }];
  });
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Where a figure stands in a program's records. */
export interface PeerFigure {
  /** the record whose `what` starts so */
  readonly what: string;
  /** further numbers the record must have, e.g. the batch */
  readonly where?: Readonly<Record<string, number>>;
  /** numbers multiplied or divided make the figure: `count / seconds` */
  readonly read: (numbers: Readonly<Record<string, number>>) => number | undefined;
}

/** Finds a figure; throws `bench.peer_failed` when the program printed none such. */
export function findPeerFigure(records: readonly PeerRecord[], figure: PeerFigure): number {
  const where = Object.entries(figure.where ?? {});
  const record = records.find(
    ({ what, numbers }) =>
      what.startsWith(figure.what) && where.every(([name, value]) => numbers[name] === value),
  );
  const value = record === undefined ? undefined : figure.read(record.numbers);
  if (value !== undefined && Number.isFinite(value) && value > 0) return value;
  const wanted = [figure.what, ...where.map(([name, number]) => `${name} ${number}`)].join(', ');
  const found = records.map(({ what }) => `"${what}"`).join(', ');
  throw new AppError(
    'bench.peer_failed',
    `read peer output: no figure for "${wanted}"; it printed ${found === '' ? 'no record' : found}`,
  );
}
