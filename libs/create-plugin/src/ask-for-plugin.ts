/** @file Asks a person for what the command line leaves open. */
import { createInterface } from 'node:readline/promises';
import { AppError } from '@espalier/contracts';
import { type PluginKind, pluginKinds } from './create-plugin.js';

/** What the command line gave. */
export interface GivenPlugin {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

/**
 * Completes kind and id, on a terminal by asking.
 *
 * @throws cli.usage when something is missing and nobody can be asked, or the kind is unknown
 */
export async function askForPlugin(given: GivenPlugin): Promise<{ kind: PluginKind; id: string }> {
  const isComplete = given.kind !== undefined && given.id !== undefined;
  if (!isComplete && process.stdin.isTTY !== true)
    throw new AppError(
      'cli.usage',
      `create plugin: ${given.kind === undefined ? 'its kind' : 'its id'} is missing; give <kind> <id>, the kind one of ${pluginKinds.join(', ')}`,
    );
  const { kind, id } = isComplete ? given : await ask(given);
  if (!isKind(kind))
    throw new AppError(
      'cli.usage',
      `create plugin: unknown kind "${kind}"; expected ${pluginKinds.join(', ')}`,
    );
  return { kind, id: id ?? '' };
}

const isKind = (kind: string | undefined): kind is PluginKind => pluginKinds.some((known) => known === kind);

async function ask({ kind, id }: GivenPlugin): Promise<GivenPlugin> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = async (question: string): Promise<string> => (await reader.question(question)).trim();
    return {
      kind: kind ?? (await answer(`Kind (${pluginKinds.join(', ')}): `)),
      id: id ?? (await answer('Id (lower-case words joined by dashes): ')),
    };
  } finally {
    reader.close();
  }
}
