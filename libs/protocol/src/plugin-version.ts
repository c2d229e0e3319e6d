/** @file Which state of a plugin somebody has, and where two differ: a job goes on with the plugins it began with. */
import { z } from 'zod';

const word = z.string().max(300);

/** A plugin as it lies on a machine. */
export const pluginVersion = z.object({
  kind: word.describe('`package`: one that config/plugins.yaml names, whatever plugins are inside'),
  id: word,
  version: word,
  sha256: word.describe('of all its files'),
  isExternal: z.boolean().optional().describe('it did not come with Espalier'),
});
export type PluginVersion = z.infer<typeof pluginVersion>;

const versionOf = ({ version, sha256 }: PluginVersion): string => `${version} (${sha256.slice(0, 12)})`;

/**
 * Lists where a machine differs from what a job began with, a phrase each.
 *
 * @param begun plugins the job began with
 * @param present what the machine has
 */
export function listPluginConflicts(
  begun: readonly PluginVersion[],
  present: readonly PluginVersion[],
): string[] {
  return begun.flatMap((before) => {
    const { kind, id, sha256 } = before;
    const now = present.find((plugin) => plugin.kind === kind && plugin.id === id);
    if (now === undefined) return [`no ${kind} ${id}, the run began with ${versionOf(before)}`];
    if (now.sha256 === sha256) return [];
    return [`${kind} ${id} ${versionOf(now)}, the run began with ${versionOf(before)}`];
  });
}
