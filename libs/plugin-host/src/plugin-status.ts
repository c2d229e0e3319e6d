/** @file What is known about each plugin that was found, usable or not; the words a server shows. */
import type { AppError } from '@espalier/contracts';
import type { PluginKind } from './definition-kinds.js';
import type { Isolation } from './isolation/messages.js';

/** Where a package was found: a folder under `plugins/`, or an npm package that `config/plugins.yaml` names. */
export type PluginOrigin = 'folder' | 'package';

/** A package, or one definition of it, that cannot be used. */
export interface BrokenPlugin {
  /** what it would be: as defined where it got that far, else as its folder says; undefined when nothing tells */
  readonly kind: PluginKind | undefined;
  readonly id: string | undefined;
  /** name of the npm package; its folder where the manifest has none */
  readonly package: string;
  /** undefined when the manifest cannot be read */
  readonly version: string | undefined;
  /** absolute; undefined for a package that is not installed */
  readonly folder: string | undefined;
  readonly origin: PluginOrigin;
  /** what using it throws */
  readonly error: AppError;
}

/** One plugin as a list of all of them shows it. */
export interface PluginStatus {
  readonly kind: PluginKind | undefined;
  readonly id: string | undefined;
  readonly package: string;
  readonly version: string | undefined;
  readonly folder: string | undefined;
  readonly origin: PluginOrigin;
  readonly health: 'ok' | 'broken';
  /** why it is broken */
  readonly message?: string;
  readonly summary?: string;
  /** where it runs unless a run says otherwise */
  readonly isolation?: Isolation;
}
