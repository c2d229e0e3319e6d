/** @file What the server asks of the catalogue process, and what it answers. Everything is plain data. */
import type { DerivedNumbers, ErrorCode } from '@espalier/contracts';
import type { ModelRoots } from '@espalier/files';

/** A plugin, or a package that could not be loaded. */
export class CataloguedPlugin {
  /** empty for a broken package of which that is not known */
  kind!: string;
  id!: string;
  package!: string;
  version!: string;
  folder!: string;
  source!: 'folder' | 'package';
  isolation!: string;
  summary!: string;
  health!: 'ok' | 'broken';
  /** what is wrong with it; empty when it is well */
  message!: string;
  /** JSON Schema of its options as a person writes them */
  schema!: Record<string, unknown> | null;
  /** of the package's files */
  sha256!: string;
}

/** A spec as it was given. */
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

/** A resolved spec with what is known about it. */
export interface ResolvedSpec {
  readonly spec: Record<string, unknown>;
  /** what follows from the spec */
  readonly derived: DerivedNumbers;
  readonly hash: string;
  /** where each value comes from, by dotted path */
  readonly sources: Readonly<Record<string, string>>;
  /** options that change nothing here */
  readonly inert: readonly { readonly path: string; readonly reason: string; readonly set: boolean }[];
  readonly warnings: readonly SpecWarning[];
  /** what it uses, as installed here */
  readonly plugins: readonly PluginVersion[];
}

/** What may go wrong with a spec that can be run. */
export interface SpecWarning {
  readonly code: ErrorCode;
  /** in a sentence */
  readonly message: string;
}

export interface PluginVersion {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly sha256: string;
}

export type CatalogueQuestion =
  | { readonly op: 'list' }
  | { readonly op: 'schema' }
  | { readonly op: 'resolve'; readonly request: SpecRequest };

export interface CatalogueAnswers {
  list: readonly CataloguedPlugin[];
  /** JSON Schema of a run spec */
  schema: Record<string, unknown>;
  resolve: ResolvedSpec;
}

/** An error on its way between two processes. */
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

export type ToCatalogue = { readonly id: number; readonly question: CatalogueQuestion };
