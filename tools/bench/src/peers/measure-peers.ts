/**
 * @file Measures us and the peers in turn, row by row, so that both run under the same load. A figure that several rows
 * share is measured once. A failure is reported in its row; the others continue.
 */
import { type BenchRow, errorText } from '../row.js';
import type { FoundPeers } from './find-peers.js';
import { findPeerFigure, type PeerRecord } from './parse-peer-output.js';
import type { PeerPair } from './peer-pairs.js';
import { buildPeerRow, type PeerRow } from './peer-row.js';
import { runPeer } from './run-peer.js';

export interface PeerMeasurement {
  readonly rows: readonly PeerRow[];
  /** our rows with their own baselines */
  readonly ours: readonly BenchRow[];
}

/** Measures pairs; `runItem` gives our rows of an item, `say` gets text for people without line ends added. */
export function measurePeers(
  pairs: readonly PeerPair[],
  found: FoundPeers,
  runItem: (name: string) => BenchRow[],
  say: (text: string) => void,
): PeerMeasurement {
  const items = once<BenchRow[]>();
  const programs = once<PeerRecord[]>();
  const rows = pairs.map((pair, index) => {
    say(`[${index + 1}/${pairs.length}] ${pair.row}: ours … `);
    const begin = Date.now();
    const ours = attempt(() =>
      ourFigure(
        pair,
        items(pair.item, () => runItem(pair.item)),
      ),
    );
    say(`${textOf(ours, pair.unit)}; ${pair.peer} … `);
    const { file, args, weights } = pair.program;
    const peer = attempt(() =>
      findPeerFigure(
        programs([file, ...args, weights].join(' '), () => runPeer(found, pair.program)),
        pair.figure,
      ),
    );
    const row = rowOf(pair, ours, peer);
    const ratio = row.ratio === null ? 'no ratio' : `${row.ratio} times as good`;
    say(`${textOf(peer, pair.unit)}: ${ratio} [${((Date.now() - begin) / 1000).toFixed(0)} s]\n`);
    return row;
  });
  return { rows, ours: items.values().flat() };
}

type Attempt<T> = { readonly value: T } | { readonly error: string };

function attempt<T>(take: () => T): Attempt<T> {
  try {
    return { value: take() };
  } catch (error) {
    return { error: errorText(error) };
  }
}

function ourFigure({ row, ours = row }: PeerPair, rows: readonly BenchRow[]): number {
  const found = rows.find(({ name }) => name === ours);
  if (found === undefined) throw new RangeError(`bench: item gave no row "${ours}"`);
  return found.value;
}

function rowOf(pair: PeerPair, ours: Attempt<number>, peer: Attempt<number>): PeerRow {
  const { row: name, unit, goal, notes, lessIsBetter = false } = pair;
  const errors = [ours, peer].flatMap((figure) => ('error' in figure ? [figure.error] : []));
  return buildPeerRow({
    name,
    unit,
    lessIsBetter,
    value: 'value' in ours ? ours.value : undefined,
    peer: { name: pair.peer, value: 'value' in peer ? peer.value : undefined },
    ...(goal === undefined ? {} : { goal }),
    ...(notes === undefined ? {} : { notes }),
    ...(errors.length === 0 ? {} : { error: errors.join('; ') }),
  });
}

const textOf = (figure: Attempt<number>, unit: string): string =>
  'value' in figure ? `${Number(figure.value.toPrecision(4))} ${unit}` : `failed (${figure.error})`;

/** Computes per key once, failures included. */
function once<T>() {
  const known = new Map<string, Attempt<T>>();
  const get = (key: string, compute: () => T): T => {
    const result = known.get(key) ?? attempt(compute);
    known.set(key, result);
    if ('error' in result) throw new Error(result.error);
    return result.value;
  };
  return Object.assign(get, {
    values: (): T[] => [...known.values()].flatMap((result) => ('value' in result ? [result.value] : [])),
  });
}
