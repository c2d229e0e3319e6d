/**
 * @file Where to look after an error, beyond the remedy in its message. A hint must lead somewhere from where the
 * person stands: no command that would fail in the same way, no page about something else.
 */
import { join, relative, resolve } from 'node:path';
import type { AppError } from '@espalier/contracts';
import { calledAs } from './parse-arguments.js';
import { installationRoot } from './workspace.js';

/**
 * Gives the hint for an error, if there is one.
 *
 * @param command the first word of the command line: `train`, `env` …
 */
export function hintFor(error: AppError, command: string | undefined): string | undefined {
  switch (error.code) {
    case 'config.unreadable':
      if (error.details['missing'] !== true) return undefined;
      if (error.details['isSettings'] === true)
        return settingsOf(command === 'worker' ? 'ESPALIER__WORKER' : 'ESPALIER__SERVER');
      return `configurations that come with Espalier lie in ${near(command === 'warm-start' ? 'config/warm-start' : 'config/runs')}`;
    case 'config.unknown_key':
    case 'config.wrong_type':
      return settingsOf(error.details['settings']) ?? optionsOf(command);
    case 'plugin.not_found':
      return `installed plugins: ${calledAs()} plugins`;
    case 'client.refused':
      return afterRefusal(error.details['code'], command);
    default:
      return undefined;
  }
}

function afterRefusal(code: unknown, command: string | undefined): string | undefined {
  if (code === 'access.unauthenticated')
    return 'name a key with --key or ESPALIER_KEY; a server shows the first when it starts for the first time';
  return code === 'config.unknown_key' || code === 'config.wrong_type' ? optionsOf(command) : undefined;
}

/** Where the settings of a service are listed, when it is them that are wrong. */
function settingsOf(prefix: unknown): string | undefined {
  if (prefix === 'ESPALIER__SERVER') return `all settings: ${near('docs/reference/settings.md')}`;
  return prefix === 'ESPALIER__WORKER' ? `all settings: ${near('config/worker.yaml')}` : undefined;
}

function optionsOf(command: string | undefined): string | undefined {
  if (command === 'warm-start') return undefined;
  if (command === 'env' || command === 'play')
    return `options of each environment: ${calledAs()} plugins --json`;
  return `all options: ${near('config/schema/run-spec.schema.json')}; those of plugins: ${near('docs/reference/plugins.md')}`;
}

/** A path of the installation as seen from the present folder. */
function near(path: string): string {
  const whole = join(installationRoot(), path);
  const short = relative(resolve('.'), whole);
  return short.startsWith('..') ? whole : short;
}
