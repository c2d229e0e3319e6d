/**
 * @file Plugin kinds, where a plugin comes from, and the status that a list of plugins shows.
 */
import type { AppError } from '@espalier/contracts';
import type { DefinitionKinds } from '@espalier/plugin-kit';
import type { Isolation } from './isolation/protocol.js';

/** A kind of plugin. */
export type PluginKind = keyof DefinitionKinds;

/** A definition of any kind. */
export type AnyDefinition = DefinitionKinds[PluginKind];

/** Where a definition comes from. */
export interface PluginSource {
  /** name of the npm package */
  readonly package: string;
  readonly version: string;
  /** absolute */
  readonly folder: string;
}

/** `folder`: lies under `plugins/`, or came with Espalier; `package`: `config/plugins.yaml` names it. */
export type PluginOrigin = 'folder' | 'package';

/** A package, or one of its definitions, that cannot be used. */
export interface BrokenPlugin {
  /** as defined if it was loaded that far, else implied by its folder; undefined when unknown */
  readonly kind: PluginKind | undefined;
  readonly id: string | undefined;
  /** name of the npm package; its folder where the manifest has none */
  readonly package: string;
  /** undefined when the manifest cannot be read */
  readonly version: string | undefined;
  /** absolute; undefined for a package that is not installed */
  readonly folder: string | undefined;
  readonly origin: PluginOrigin;
  /** thrown when it is used */
  readonly error: AppError;
}

/** One plugin in the list of all plugins. */
export interface PluginStatus {
  readonly kind: PluginKind | undefined;
  readonly id: string | undefined;
  readonly package: string;
  readonly version: string | undefined;
  readonly folder: string | undefined;
  readonly origin: PluginOrigin;
  readonly health: 'ok' | 'broken';
  /** why it cannot be used */
  readonly message?: string;
  readonly summary?: string;
  /** where it runs unless a run overrides it */
  readonly isolation?: Isolation;
}
