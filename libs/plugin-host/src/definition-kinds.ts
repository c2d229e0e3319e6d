import type { DefinitionKinds } from '@espalier/plugin-kit';

/** One of the kinds of plugins. */
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
