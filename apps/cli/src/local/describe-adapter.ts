import { loadAdapter, loraScale } from '@espalier/model/adapters';

/** What is known about an adapter without its base. */
export interface AdapterDescription {
  readonly path: string;
  readonly kind: 'adapter';
  /** name or path of the model it was trained on, if recorded */
  readonly base: string | null;
  /** of the weights of that model, if recorded */
  readonly baseSha256: string | null;
  readonly rank: number;
  readonly alpha: number;
  readonly rankStabilized: boolean;
  readonly dropout: number;
  /** factor of B·A */
  readonly scale: number;
  readonly targets: readonly string[] | string;
  readonly layers: readonly string[];
  readonly parameters: number;
  /** parameters by their number format in the file */
  readonly formats: Readonly<Record<string, number>>;
}

/**
 * Describes an adapter.
 *
 * @throws as `loadAdapter`
 */
export function describeAdapter(path: string): AdapterDescription {
  const { config, base, layers, formats } = loadAdapter(path);
  const { rank, alpha, rankStabilized, dropout, targets } = config;
  return {
    path,
    kind: 'adapter',
    base: base.name ?? null,
    baseSha256: base.sha256 ?? null,
    rank,
    alpha,
    rankStabilized,
    dropout,
    scale: loraScale(config),
    targets,
    layers: [...layers.keys()].sort(),
    parameters: Object.values(formats).reduce((sum, count) => sum + count, 0),
    formats,
  };
}
