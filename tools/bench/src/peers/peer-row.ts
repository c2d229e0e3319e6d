/** One figure next to a peer's, both measured minutes apart on one machine. What failed is null and explained. */
export interface PeerRow {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly baseline: { readonly name: string; readonly value: number | null };
  /** how many times better: value over baseline, or baseline over value where less is better */
  readonly ratio: number | null;
  readonly lessIsBetter: boolean;
  /** the ratio to reach; absent where the row is only for information */
  readonly goal?: number;
  readonly notes?: string;
  /** why a figure is missing */
  readonly error?: string;
}

/** Makes a row of two figures, of which either may be missing; the ratio follows. */
export function buildPeerRow(
  row: Omit<PeerRow, 'ratio' | 'value' | 'baseline'> & {
    readonly value: number | undefined;
    readonly peer: { readonly name: string; readonly value: number | undefined };
  },
): PeerRow {
  const { value, peer, ...rest } = row;
  const ratio =
    value === undefined || peer.value === undefined
      ? null
      : round(rest.lessIsBetter ? peer.value / value : value / peer.value);
  return {
    ...rest,
    value: value === undefined ? null : round(value),
    baseline: { name: peer.name, value: peer.value === undefined ? null : round(peer.value) },
    ratio,
  };
}

const round = (value: number): number => Number(value.toPrecision(4));
