/**
 * @file Where pip of this machine takes packages from: its environment variables, then its configuration files, as pip
 * itself reads them. No Python runs. What pip has no setting for is not guessed: an address that nobody chose is no
 * default of ours.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface PipSettings {
  /** simple indexes, the main one first */
  readonly indexes: readonly string[];
  /** folders and pages with wheels, or wheels, looked through before the indexes */
  readonly findLinks: readonly string[];
  /** a file of certificates to trust */
  readonly certificate: string | undefined;
}

/** Options by pip's names, as they are written: some are lists, some one value, in which white space may be. */
type Options = Readonly<Record<string, string>>;

/** Reads the settings. The environment wins over the files, a later file over an earlier one. */
export function readPipSettings(
  environment: NodeJS.ProcessEnv = process.env,
  files: readonly string[] = configurationFiles(environment),
): PipSettings {
  const merged: Record<string, string> = {};
  for (const file of files) Object.assign(merged, readFile(file));
  for (const [name, value] of Object.entries(environment)) {
    if (!/^PIP_/i.test(name) || value === undefined || value === '') continue;
    merged[name.slice(4).toLowerCase().replaceAll('_', '-')] = value;
  }
  const one = (name: string): string => merged[name]?.trim() ?? '';
  const list = (name: string): string[] => one(name).split(/\s+/).filter(isFilled);
  const isOffline = /^(1|y|yes|t|true|on)$/i.test(one('no-index'));
  return {
    indexes: isOffline ? [] : [one('index-url'), ...list('extra-index-url')].filter(isFilled),
    findLinks: list('find-links'),
    certificate: one('cert') || undefined,
  };
}

const isFilled = (text: string): boolean => text !== '';

/** The files that pip reads, in its order: of the system, of the user, of the virtual environment. */
function configurationFiles(environment: NodeJS.ProcessEnv): string[] {
  const {
    PIP_CONFIG_FILE: named = '',
    XDG_CONFIG_HOME: config = '',
    VIRTUAL_ENV: virtual = '',
  } = environment;
  if (named === '/dev/null' || named.toLowerCase() === 'nul') return [];
  return [
    '/etc/xdg/pip/pip.conf',
    '/etc/pip.conf',
    join(homedir(), '.pip', 'pip.conf'),
    join(config === '' ? join(homedir(), '.config') : config, 'pip', 'pip.conf'),
    ...(virtual === '' ? [] : [join(virtual, 'pip.conf')]),
    ...(named === '' ? [] : [named]),
  ];
}

function readFile(file: string): Options {
  try {
    return parsePipConfiguration(readFileSync(file, 'utf8'));
  } catch {
    // absent, or not for this user; pip passes over it as well
    return {};
  }
}

/** Parses a file of pip: sections, `name = value`, further lines of it indented. [download] wins over [global]. */
export function parsePipConfiguration(text: string): Options {
  const sections: Record<string, Record<string, string>> = {};
  let section = '';
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const bare = line.trim();
    if (bare === '' || bare.startsWith('#') || bare.startsWith(';')) continue;
    const [, header] = /^\[(.+)\]$/.exec(bare) ?? [];
    const at = bare.search(/[=:]/);
    const [name, value] = at < 0 ? [undefined, ''] : [bare.slice(0, at).trim(), bare.slice(at + 1).trim()];
    const options = (sections[section] ??= {});
    if (header !== undefined) {
      section = header.trim().toLowerCase();
      last = undefined;
    } else if (/^\s/.test(line) && last !== undefined) options[last] += `\n${bare}`;
    else if (name !== undefined) {
      last = name.toLowerCase().replaceAll('_', '-');
      options[last] = value;
    }
  }
  return { ...sections['global'], ...sections['download'] };
}
