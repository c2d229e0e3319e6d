/**
 * @file The version of a plugin on a machine, and how two differ: a job resumes with the plugins that it started with.
 */
import { z } from 'zod';
import { text } from './bounds.js';

const word = text(300);

/** A plugin as installed on a machine. */
export const pluginVersion = z.object({
  kind: z.enum(['environment', 'reward', 'algorithm', 'model', 'package']).describe('what it is'),
  id: word.describe('unique within its kind'),
  version: word.describe('version of its package'),
  sha256: word.describe('of all its files'),
  isExternal: z.boolean().optional().describe('it is not built in'),
});
export type PluginVersion = z.infer<typeof pluginVersion>;

/** A plugin that changed; `now` is undefined if it is missing. */
interface PluginDifference {
  readonly before: PluginVersion;
  readonly now: PluginVersion | undefined;
}

/**
 * Finds the plugins that are missing or have other files. Those without a hash are skipped.
 *
 * @param before the required versions, in the order of the result
 * @param present the installed versions; additional ones change nothing
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

/** Describes how a plugin changed, in a phrase. */
export function describePluginDifference({ before, now }: PluginDifference): string {
  const { kind, id } = before;
  return `${kind} ${id} was ${versionOf(before)}, is ${now === undefined ? 'missing' : versionOf(now)}`;
}

/**
 * Lists how a machine's plugins differ from those a job started with; each phrase follows "the machine has".
 *
 * @param begun plugins the job started with
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
