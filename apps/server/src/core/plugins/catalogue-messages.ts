/** @file The messages between the server and the catalogue process; plain data. */
import type { ValueSource } from '@espalier/config';
import type { DerivedNumbers, ErrorCode, WarningCode } from '@espalier/contracts';
import type { ModelRoots } from '@espalier/files';
import type { PluginVersion } from '@espalier/protocol';

/** A plugin, or a package that could not be loaded. */
export class CataloguedPlugin {
  /** empty if it is unknown because the package is broken */
  kind!: string;
  id!: string;
  package!: string;
  version!: string;
  folder!: string;
  source!: 'folder' | 'package';
  isolation!: string;
  summary!: string;
  health!: 'ok' | 'broken';
  /** what is wrong with it; empty if nothing is */
  message!: string;
  /** JSON Schema of its options as users write them */
  schema!: Record<string, unknown> | null;
  /** of the package's files */
  sha256!: string;
}

/** A spec to resolve. */
export interface SpecRequest {
  /** YAML, or JSON, which is YAML too; at most 64 KiB */
  readonly source: string;
  readonly overrides: readonly string[];
  /** which model folders may be named */
  readonly models: ModelRoots;
  /** a refusal may name the roots */
  readonly showsRoots: boolean;
  /** its weights come from a checkpoint, so that its model folder is not needed */
  readonly isFork: boolean;
}

/** A resolved spec with what follows from it. */
export interface ResolvedSpec {
  readonly spec: Record<string, unknown>;
  /** what follows from the spec */
  readonly derived: DerivedNumbers;
  readonly hash: string;
  /** where each value comes from, by dotted path */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** options without effect in this spec */
  readonly inert: readonly { readonly path: string; readonly reason: string; readonly set: boolean }[];
  readonly warnings: readonly SpecWarning[];
  /** the installed plugins that it uses */
  readonly plugins: readonly PluginVersion[];
}

/** What may go wrong with a spec that can be run. */
export interface SpecWarning {
  readonly code: WarningCode;
  /** in a sentence */
  readonly message: string;
}

/** A state to play on from: the first of an episode, or one of a trajectory. */
export interface PlayRequest {
  /** as the spec of the run chooses it */
  readonly environment: { readonly use: string } & Readonly<Record<string, unknown>>;
  readonly seeds: { readonly state: number; readonly noise: number; readonly sampling: number };
  /** undefined: it is played from its first state */
  readonly trajectory?: {
    readonly id: string;
    readonly seeds: PlayRequest['seeds'];
    readonly turns: readonly {
      readonly stateKey: string;
      readonly actions: readonly { readonly text: string }[];
    }[];
  };
  /** from 0 */
  readonly turn: number;
  /** taken by hand after the turns before it */
  readonly actions: readonly string[];
  /** of a call of the environment */
  readonly timeoutMs: number;
}

/** An action that was taken by hand. */
export class PlayedStep {
  action!: string;
  reward!: number;
  valid!: boolean;
  effective!: boolean;
  slipped!: boolean | null;
}

/** What a symbol of an observation means. */
export class LegendEntry {
  symbol!: string;
  meaning!: string;
}

/** A state that was reached by hand. */
export class PlayedState {
  observation!: string;
  legend!: readonly LegendEntry[];
  /** null: any text is an action */
  actions!: readonly string[] | null;
  render!: string;
  /** base64 of a PNG; null: the environment draws none */
  image!: string | null;
  /** what the environment tells of the state, for machines */
  facts!: Readonly<Record<string, unknown>>;
  hasOracle!: boolean;
  /** null: there is no oracle, or the episode is over */
  plan!: readonly string[] | null;
  /** those that were taken; fewer than asked for where the episode ended before */
  steps!: readonly PlayedStep[];
  ended!: 'success' | 'failure' | null;
}

export type CatalogueRequest =
  | { readonly op: 'list' }
  | { readonly op: 'schema' }
  | { readonly op: 'resolve'; readonly spec: SpecRequest }
  | { readonly op: 'play'; readonly play: PlayRequest };

export interface CatalogueResponses {
  list: readonly CataloguedPlugin[];
  /** JSON Schema of a run spec */
  schema: Record<string, unknown>;
  resolve: ResolvedSpec;
  play: PlayedState;
}

/** An error that is sent between two processes. */
export interface SerializedError {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type FromCatalogue =
  | { readonly isReady: true }
  | { readonly cannotStart: SerializedError }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SerializedError };

export type ToCatalogue = { readonly id: number; readonly request: CatalogueRequest };
