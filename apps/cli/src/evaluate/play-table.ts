/** @file Plays a planned table, part by part, and counts. */
import { type PolicyEngine, type Split, AppError } from '@espalier/contracts';
import { loadTokenizer } from '@espalier/model';
import { openEngine, playStates, type PluginLookup } from '@espalier/trainer';
import { isolateRun } from '../local/isolate-run.js';
import type { Registry } from '../workspace.js';
import { baselineNames, playBaseline } from './baselines.js';
import type { KeptParts, Part } from './kept-parts.js';
import type { PlannedColumn, PlannedTable } from './plan-table.js';
import { playProbes } from './probes.js';
import type { Cell, Entry } from './result.js';
import { summarizeCell } from './summarize.js';
import { createTally } from './tally.js';

export interface PlayRequest {
  readonly registry: Registry;
  readonly parts: KeptParts;
  readonly split: Exclude<Split, 'train'>;
  readonly draws: number;
  readonly baselines: boolean;
  readonly probes: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (name: string, done: number, total: number) => void;
}

/** Plays every policy in every environment. @throws rollout.cancelled */
export async function playTable(table: PlannedTable, request: PlayRequest): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { name, trainedOn } of table.models) {
    const player = createPlayer(name, request);
    try {
      const cells: Cell[] = [];
      const probes: Entry[] = [];
      for (const column of table.columns) {
        const { cell, parts } = await player.play(column);
        cells.push(cell);
        if (request.probes) probes.push(...(await playProbes(name, column, parts, player, request)));
      }
      entries.push({ name, kind: 'model', trainedOn, cells }, ...joinColumns(probes));
    } finally {
      await player.dispose();
    }
  }
  if (request.baselines) entries.push(...(await playBaselines(table, request)));
  return entries;
}

/** Probes come column by column. */
function joinColumns(probes: readonly Entry[]): Entry[] {
  const names = [...new Set(probes.map(({ name }) => name))];
  return names.flatMap((name) => {
    const own = probes.filter((one) => one.name === name);
    return own.slice(0, 1).map((first) => ({ ...first, cells: own.flatMap(({ cells }) => cells) }));
  });
}

async function playBaselines({ columns }: PlannedTable, request: PlayRequest): Promise<Entry[]> {
  const cells = new Map<string, Cell[]>(baselineNames.map((name) => [name, []]));
  for (const { label, states, of } of columns) {
    const [place] = of.values();
    if (place === undefined) continue;
    const plugins = await isolateRun(place.run.spec, request.registry);
    try {
      const { split, draws, signal } = request;
      const asked = { column: label, states, registry: plugins, split, draws, signal };
      for (const name of baselineNames)
        cells.get(name)?.push(await playBaseline(name, { ...asked, environment: place.environment }));
    } finally {
      await plugins.dispose();
    }
  }
  return [...cells].map(([name, own]) => ({ name, kind: 'baseline', trainedOn: [], cells: own }));
}

/** Plays one model; its engine is opened when a part is missing. */
export interface Player {
  readonly name: string;
  /** @param change makes a probe of it: its name, and what is different */
  play(column: PlannedColumn, change?: PolicyChange): Promise<{ cell: Cell; parts: Part[] }>;
  dispose(): Promise<void>;
}

export interface PolicyChange {
  readonly name: string;
  readonly engine?: (engine: PolicyEngine, encode: (text: string) => ArrayLike<number>) => PolicyEngine;
  readonly registry?: (registry: PluginLookup) => PluginLookup;
}

/** Episodes of a part: enough to keep an engine busy, few enough to lose. */
const partEpisodes = 128;

function createPlayer(name: string, request: PlayRequest): Player {
  let engine: PolicyEngine | undefined;
  return {
    name,
    async play(column, change) {
      const place = column.of.get(name);
      if (place === undefined) throw new Error(`no plan of ${name} in ${column.label}`);
      const { run, environment } = place;
      const { parts, draws } = request;
      const entry = change?.name ?? name;
      const size = Math.max(1, Math.floor(partEpisodes / draws));
      const starts = Array.from({ length: Math.ceil(column.states / size) }, (_, i) => i * size);
      const missing = starts.filter((from) => parts.find(entry, column.label, from) === undefined);
      if (missing.length > 0) {
        engine ??= await openEngine(run.model.folder, run.spec, run.model.base);
        const tokenizer = loadTokenizer(run.model.folder);
        const used = change?.engine?.(engine, (text) => tokenizer.encode(text)) ?? engine;
        const plugins = await isolateRun(run.spec, request.registry);
        try {
          const registry = change?.registry?.(plugins) ?? plugins;
          for (const from of missing) {
            const states = Math.min(size, column.states - from);
            const tally = createTally();
            const played = await playStates({
              environment,
              registry,
              engine: used,
              tokenizer,
              split: request.split,
              from,
              states,
              draws,
              signal: request.signal,
              onPlayed: tally.count,
            });
            parts.add({ entry, column: column.label, from, ...played, ...tally.most() });
            request.onProgress(`${entry} on ${column.label}`, from + states, column.states);
            if (
              isHopeless(
                starts.flatMap((at) => parts.find(entry, column.label, at) ?? []),
                column.states * draws,
                run.spec.rollout.maxFailedShare,
              )
            )
              break;
          }
        } finally {
          await plugins.dispose();
        }
      }
      const own = starts.flatMap((from) => parts.find(entry, column.label, from) ?? []);
      return { cell: summarizeParts(column.label, own, run.spec.rollout.maxFailedShare), parts: own };
    },
    async dispose() {
      await engine?.dispose();
    },
  };
}

const failuresOf = (parts: readonly Part[]): number => parts.reduce((sum, { failed }) => sum + failed, 0);

/** Whether too much has failed even if all that is left succeeds. */
const isHopeless = (parts: readonly Part[], episodes: number, limit: number): boolean =>
  failuresOf(parts) / (failuresOf(parts) + episodes) > limit;

function summarizeParts(column: string, parts: readonly Part[], limit: number): Cell {
  const outcomes = parts.flatMap((part) => part.outcomes);
  const failed = failuresOf(parts);
  const first = parts.find(({ error }) => error !== undefined)?.error;
  const isTooMuch = failed > 0 && failed / (failed + outcomes.length) > limit;
  const error = isTooMuch
    ? `${failed} of ${failed + outcomes.length} episodes failed, above the share ${limit}; first: ${first ?? 'unknown'}`
    : undefined;
  return summarizeCell({ column, outcomes, failed, error });
}

/** What to say when a table was stopped. */
export const stopped = (keep: string | undefined): AppError =>
  new AppError(
    'cli.interrupted',
    keep === undefined
      ? 'eval: stopped; nothing was kept, as no file was named: add --keep FILE to go on where it was stopped'
      : `eval: stopped; what was played is in ${keep}, and the same command goes on from there`,
  );
