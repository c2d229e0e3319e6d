/**
 * @file Where to look after an error, beyond the remedy in its message. A hint must lead somewhere from where the
 * person stands: no command that would fail in the same way, no page about something else.
 */
import { join, relative, resolve } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { type AppError, runSpecSchema } from '@espalier/contracts';
import { z } from 'zod';
import { calledAs } from './parse-arguments.js';

/**
 * Gives the hint for an error, if there is one.
 *
 * @param command the first word of the command line: `train`, `env` …
 */
export function hintFor(error: AppError, command: string | undefined): string | undefined {
  switch (error.code) {
    case 'config.unreadable':
      if (error.details['missing'] !== true || error.details['isConfig'] === false) return undefined;
      if (error.details['isSettings'] === true)
        return settingsOf(command === 'worker' ? 'ESPALIER__WORKER' : 'ESPALIER__SERVER');
      return `configurations that come with Espalier are in ${near(command === 'warm-start' ? 'config/warm-start' : 'config/runs')}`;
    case 'config.unknown_key':
    case 'config.wrong_type':
      if (error.details['isWarmStart'] === true)
        return `all options: ${near('config/schema/warm-start.schema.json')}; those of environments: ${near('docs/reference/plugins.md')}`;
      return settingsOf(error.details['settings']) ?? optionsOf(command);
    case 'plugin.not_found':
      return `installed plugins: ${calledAs()} plugins`;
    case 'client.refused':
      return afterRefusal(error.details['code'], command);
    default:
      return undefined;
  }
}

/** Commands that take options of a configuration. */
const withSet = new Set(['train', 'plan', 'up', 'run', 'warm-start']);

/** Leads from `--steps 3` to `--set steps=3`, where a configuration has such an option. */
export function hintForOption(message: string, argv: readonly string[]): string | undefined {
  const flag = /unknown option '--([A-Za-z][\w.-]*)/.exec(message)?.[1];
  if (flag === undefined || !withSet.has(argv[0] ?? '')) return undefined;
  const bare = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');
  const paths = optionPaths(z.toJSONSchema(runSpecSchema, { io: 'input', unrepresentable: 'any' }));
  const ending = `.${bare(flag)}`;
  const found = paths.filter((path) => `.${bare(path)}`.endsWith(ending));
  const [first] = found.sort((a, b) => a.split('.').length - b.split('.').length);
  if (first === undefined) return undefined;
  const at = argv.findIndex((word) => word.startsWith(`--${flag}`));
  const value = argv[at]?.split('=')[1] ?? argv[at + 1];
  return `${first} is an option of the configuration: --set ${first}=${value === undefined || value.startsWith('-') ? '…' : value}`;
}

function optionPaths(schema: object, prefix = ''): string[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, object>> };
  return Object.entries(properties).flatMap(([key, entry]) => [
    `${prefix}${key}`,
    ...optionPaths(entry, `${prefix}${key}.`),
  ]);
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
  if (command === 'sweep')
    return `all options: ${near('config/schema/sweep.schema.json')}; those of its runs: ${near('config/schema/run-spec.schema.json')}`;
  if (command === 'env' || command === 'play')
    return `options of each environment: ${calledAs()} plugins --json`;
  return `all options: ${near('config/schema/run-spec.schema.json')}; those of plugins: ${near('docs/reference/plugins.md')}`;
}

/** A path of the installation as seen from the present folder. */
function near(path: string): string {
  const whole = join(findInstallation().folder, path);
  const short = relative(resolve('.'), whole);
  return short.startsWith('..') ? whole : short;
}
