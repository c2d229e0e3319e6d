/** @file Which state of a plugin somebody has, and where two differ: a job goes on with the plugins it began with. */
import { z } from 'zod';
import { text } from './bounds.js';

const word = text(300);

/** A plugin as it lies on a machine. */
export const pluginVersion = z.object({
  kind: word.describe('`package`: one that config/plugins.yaml names, whatever plugins are inside'),
  id: word.describe('unique within its kind'),
  version: word.describe('version of its package'),
  sha256: word.describe('of all its files'),
  isExternal: z.boolean().optional().describe('it did not come with Espalier'),
});
export type PluginVersion = z.infer<typeof pluginVersion>;

/** A plugin of which two states are not the same; `now` is undefined where it is missing. */
export interface PluginDifference {
  readonly before: PluginVersion;
  readonly now: PluginVersion | undefined;
}

/**
 * Finds the plugins that are missing or have other files. Of one without a hash nothing can be said; it is passed over.
 *
 * @param before what is asked for, in the order of the answer
 * @param present what there is; more than is asked for changes nothing
 */
export function findPluginDifferences(
  before: readonly PluginVersion[],
  present: readonly PluginVersion[],
): PluginDifference[] {
  return before.flatMap((plugin) => {
    const { kind, id, sha256 } = plugin;
    const now = present.find((other) => other.kind === kind && other.id === id);
    const isSame = now !== undefined && (sha256 === '' || now.sha256 === '' || now.sha256 === sha256);
    return isSame ? [] : [{ before: plugin, now }];
  });
}

/** Says what became of a plugin, in a phrase. */
export function tellPluginDifference({ before, now }: PluginDifference): string {
  const { kind, id } = before;
  return `${kind} ${id} was ${versionOf(before)}, is ${now === undefined ? 'missing' : versionOf(now)}`;
}

/**
 * Lists where a machine differs from what a job began with, a phrase each that follows "the machine has".
 *
 * @param begun plugins the job began with
 * @param present what the machine has
 */
export function listPluginConflicts(
  begun: readonly PluginVersion[],
  present: readonly PluginVersion[],
): string[] {
  return findPluginDifferences(begun, present).map(({ before, now }) => {
    const { kind, id } = before;
    const found = now === undefined ? `no ${kind} ${id}` : `${kind} ${id} ${versionOf(now)}`;
    return `${found}, the run started with ${versionOf(before)}`;
  });
}

const versionOf = ({ version, sha256 }: PluginVersion): string => `${version} (${sha256.slice(0, 12)})`;
