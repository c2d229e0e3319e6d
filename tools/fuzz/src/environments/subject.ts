/** @file What is fuzzed of each environment: every one that is installed, with the options that change its grammar. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { discoverPlugins, type PluginRegistry } from '@espalier/plugin-host';

/** What differs from most environments. */
interface Profile {
  /** options, taken in turn; by default those that an environment has by itself */
  readonly variants?: readonly Readonly<Record<string, unknown>>[];
  /** strings that instances take before others are made; default 64 */
  readonly strings?: number;
  /** state seeds that are played, mostly; default 12 */
  readonly seeds?: number;
  /** how long a promise may take, in milliseconds; default a minute, which no program or other process needs */
  readonly patienceMs?: number;
  /** whether an action starts a program or ends a process: it is played seldom, and not held to processor time */
  readonly isCostly?: (action: string, facts: () => Readonly<Record<string, unknown>>) => boolean;
}

const profiles: Readonly<Record<string, Profile>> = {
  // what stands for a line of the program, and what names its function
  'code-repair': {
    variants: [
      { timeLimitMs: 1000 },
      { tasks: { source: 'shipped', sets: ['javascript'] }, timeLimitMs: 1000 },
    ],
    isCostly: (action, facts) =>
      /^\s*edit\s+0*[1-9]\d{0,2}(?!\d)/i.test(action) ||
      (/^\s*submit/i.test(action) && action.includes(String(facts()['function']))),
  },
  countdown: { variants: [{}, { variant: 'steps' }, { arithmetic: 'python', numbersUsed: 'some' }] },
  'frozen-lake': { variants: [{}, { observation: 'grid_coord', size: 8 }] },
  household: { variants: [{ version: 'r1' }, { version: 'r2' }] },
  // the desk as a process of its own, started by every reset
  mcp: {
    variants: [
      { tasks: { source: 'files', train: ['plugins/environments/mcp/tasks/desk.yaml'] } },
      { tasks: { source: 'generated' } },
    ],
    strings: 1024,
    seeds: 3,
    isCostly: (action) => /finish\s*\(|"finish"/.test(action),
  },
  sudoku: { variants: [{}, { size: 9 }] },
  webshop: { variants: [{ version: 'r1' }, { version: 'r2' }] },
};

/** One environment under test. */
export interface Subject extends Required<Omit<Profile, 'variants'>> {
  readonly name: string;
  readonly definition: EnvironmentDefinition<unknown>;
  /** checked options */
  readonly variants: readonly unknown[];
}

const prefix = 'env/';

/** Played by a program, a shell or a server of somebody else, which gets what a model says as it is. */
const elsewhere = ['agent-program', 'harbor', 'openenv'];

/** Names of the targets that are environments. */
export function environmentTargets(root: string): readonly string[] {
  const folder = join(root, 'plugins', 'environments');
  return readdirSync(folder)
    .filter((id) => !elsewhere.includes(id))
    .sort()
    .map((id) => prefix + id);
}

const registries = new Map<string, Promise<PluginRegistry>>();

/** Finds plugins once. */
function findPlugins(root: string): Promise<PluginRegistry> {
  const found = registries.get(root) ?? discoverPlugins({ root });
  registries.set(root, found);
  return found;
}

/** Makes a subject of an installed environment; the guards of the plugin host stay around it. */
export async function openSubject(root: string, name: string): Promise<Subject> {
  const id = name.slice(prefix.length);
  const definition = (await findPlugins(root)).get('environment', id);
  const {
    variants = [{}],
    strings = 64,
    seeds = 12,
    patienceMs = 60_000,
    isCostly = () => false,
  } = profiles[id] ?? {};
  return {
    name,
    definition,
    variants: variants.map((given) => definition.params.parse(resolvePaths(root, given))),
    strings,
    seeds,
    patienceMs,
    isCostly,
  };
}

/** Makes absolute what is in this repository. */
function resolvePaths(root: string, given: unknown): unknown {
  if (typeof given === 'string') return given.startsWith('plugins/') ? join(root, given) : given;
  if (Array.isArray(given)) return given.map((value) => resolvePaths(root, value));
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, resolvePaths(root, value)] as const),
  );
}
