/** @file Plays a planned table, part by part, and counts. */
import { type PolicyEngine, type Split, AppError, hasCode } from '@espalier/contracts';
import { playStates, type PluginLookup } from '@espalier/trainer';
import type { AgentClient, AgentParts } from '../agents/agent-client.js';
import type { NamedAgent } from '../agents/agent-options.js';
import { addSpent, costOf, nothingSpent } from '../agents/spent.js';
import { isolateRun } from '../local/isolate-run.js';
import type { Registry } from '../workspace.js';
import { baselineNames, playBaseline } from './baselines.js';
import type { KeptParts, Part } from './kept-parts.js';
import { type OpenedPolicy, openPolicy } from './open-policy.js';
import type { Place, PlannedColumn, PlannedModel, PlannedTable } from './plan-table.js';
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
  /** replies of API agents that are taken instead of asking */
  readonly replay?: AgentParts['replay'];
  readonly note: (text: string) => void;
  /** in episodes */
  readonly onProgress: (name: string, done: number, total: number) => void;
}

export interface PlayedTable {
  readonly entries: readonly Entry[];
  /** why a model has no numbers, or an API agent was not played to its end */
  readonly endings: readonly AppError[];
}

/** Plays every policy in every environment. @throws rollout.cancelled; the end of an agent before anything was measured */
export async function playTable(table: PlannedTable, request: PlayRequest): Promise<PlayedTable> {
  const entries: Entry[] = [];
  const endings: AppError[] = [];
  for (const model of table.models) {
    const { name, trainedOn, agent } = model;
    const player = createPlayer(model, request);
    try {
      const cells: Cell[] = [];
      const probes: Entry[] = [];
      for (const column of table.columns) {
        const { cell, parts } = await player.play(column);
        cells.push(cell);
        if (request.probes) probes.push(...(await playProbes(name, column, parts, player, request)));
      }
      const entry: Entry = { name, kind: 'model', trainedOn, cells };
      entries.push(agent === undefined ? entry : { ...entry, spent: spentOf(player.asked(), agent) });
      entries.push(...joinColumns(probes));
      const ending = player.ending();
      if (ending === undefined) {
        if (cells.every(({ error }) => error !== undefined)) endings.push(unmeasured(name));
        continue;
      }
      if (ending.code !== 'agent.budget_exhausted' && !entries.some(isMeasured)) throw ending;
      endings.push(ending);
    } finally {
      await player.dispose();
    }
  }
  if (request.baselines) entries.push(...(await playBaselines(table, request)));
  return { entries, endings };
}

const unmeasured = (name: string): AppError =>
  new AppError(
    'rollout.too_many_errors',
    `eval ${name}: no environment gave numbers; the reasons stand below the table`,
  );

const isMeasured = ({ cells }: Entry): boolean => cells.some(({ episodes }) => episodes > 0);

/** What an agent took in the parts that asked it. */
function spentOf(asked: readonly Part[], { options: { price } }: NamedAgent): NonNullable<Entry['spent']> {
  const spent = asked.reduce((sum, part) => addSpent(sum, part.spent ?? nothingSpent), nothingSpent);
  const episodes = asked.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
  return { ...spent, episodes, ...(price === undefined ? {} : { cost: costOf(spent, price) }) };
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
    const plugins = await isolateRun(place.spec, request.registry);
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
  /** the parts so far, of probes too, whose episodes asked an API agent */
  asked(): readonly Part[];
  /** why nothing more can come of an API agent: what is left is not played */
  ending(): AppError | undefined;
  dispose(): Promise<void>;
}

export interface PolicyChange {
  readonly name: string;
  readonly engine?: (opened: OpenedPolicy) => PolicyEngine;
  readonly registry?: (registry: PluginLookup) => PluginLookup;
}

/** Episodes of a part: enough to keep an engine busy, few enough to lose. */
const partEpisodes = { model: 128, agent: 32 };

function createPlayer(model: PlannedModel, request: PlayRequest): Player {
  const { name, agent } = model;
  const { parts, draws, signal, replay, note } = request;
  let opened: OpenedPolicy | undefined;
  const asked: Part[] = [];
  const ending = (): AppError | undefined => endingOf(opened?.client);
  return {
    name,
    asked: () => asked,
    ending,
    async play(column, change) {
      const place = column.of.get(name);
      if (place === undefined) throw new Error(`no plan of ${name} in ${column.label}`);
      const entry = change?.name ?? name;
      const episodes = agent === undefined ? partEpisodes.model : partEpisodes.agent;
      const size = Math.max(1, Math.floor(episodes / draws));
      const starts = Array.from({ length: Math.ceil(column.states / size) }, (_, i) => i * size);
      const find = (): Part[] => starts.flatMap((from) => parts.find(entry, column.label, from) ?? []);
      const missing = starts.filter((from) => {
        const known = parts.find(entry, column.label, from);
        // what an agent lost may have been an outage
        return known === undefined || (agent !== undefined && known.failed > 0);
      });
      if (missing.length > 0) {
        opened ??= await openPolicy(model, place, { replies: parts.replies, replay, signal, note });
        await playParts({ entry, column, place, change, missing, size, opened, find }, request);
      }
      const own = find();
      asked.push(...own.filter(({ spent }) => (spent?.requests ?? 0) > 0));
      const cell = summarizeParts(column.label, own, place.spec.rollout.maxFailedShare);
      const error = own.length === starts.length ? undefined : ending();
      return { cell: error === undefined ? cell : withUnplayed(cell, own, column, size, error), parts: own };
    },
    async dispose() {
      const retried = opened?.client?.retried ?? 0;
      if (retried > 0) note(`${name}: ${retried} requests failed and were sent again`);
      await opened?.engine.dispose();
    },
  };
}

/** What ends an agent and not the table: all but a reply that --replay lacks. */
function endingOf(client: AgentClient | undefined): AppError | undefined {
  const error = client?.error;
  return hasCode(error, 'agent.not_recorded') ? undefined : error;
}

interface PartsToPlay {
  readonly entry: string;
  readonly column: PlannedColumn;
  readonly place: Place;
  readonly change: PolicyChange | undefined;
  /** first states of the parts */
  readonly missing: readonly number[];
  /** states of a part */
  readonly size: number;
  readonly opened: OpenedPolicy;
  /** the parts that there are */
  readonly find: () => readonly Part[];
}

/** Plays parts until all are there, too much has failed, or nothing more can come of an agent. */
async function playParts(plan: PartsToPlay, request: PlayRequest): Promise<void> {
  const { entry, column, place, change, missing, size, opened, find } = plan;
  const { parts, draws } = request;
  const { client } = opened;
  const left = new Set(missing);
  const plugins = await isolateRun(place.spec, request.registry);
  try {
    for (const from of missing) {
      if (client?.error !== undefined) return;
      const tally = createTally();
      const total = column.states * draws;
      const played = await playStates({
        environment: place.environment,
        registry: change?.registry?.(plugins) ?? plugins,
        engine: change?.engine?.(opened) ?? opened.engine,
        tokenizer: opened.tokenizer,
        split: request.split,
        from,
        states: Math.min(size, column.states - from),
        draws,
        atOnce: client?.atOnce,
        signal: client?.signal ?? request.signal,
        onPlayed: tally.count,
        onProgress: (done) => request.onProgress(`${entry} on ${column.label}`, from * draws + done, total),
      }).catch((error: unknown) => {
        if (request.signal.aborted || endingOf(client) === undefined) throw client?.error ?? error;
      });
      if (played === undefined) return;
      parts.add({
        entry,
        column: column.label,
        from,
        ...played,
        ...tally.most(),
        ...(client === undefined ? {} : { spent: client.take() }),
      });
      left.delete(from);
      const done = find().filter((part) => !left.has(part.from));
      if (isHopeless(done, total, place.spec.rollout.maxFailedShare)) return;
    }
  } finally {
    await plugins.dispose();
  }
}

/** Why an agent left states out, for people who read the table. */
const unplayedReasons: Readonly<Record<string, string>> = {
  'agent.budget_exhausted': 'the budget of the agent was spent',
  'agent.refused': 'its endpoint refused it',
  'agent.unavailable': 'its endpoint gave no usable answer',
  'agent.failed': 'its endpoint does not tell its tokens',
};

/** Says how many states were left out, and why; a cell without any has no numbers. */
function withUnplayed(
  cell: Cell,
  own: readonly Part[],
  { states }: PlannedColumn,
  size: number,
  { code }: AppError,
): Cell {
  const unplayed = states - Math.min(states, own.length * size);
  const reason = unplayedReasons[code] ?? code;
  if (own.length > 0) return { ...cell, unplayed, reason };
  return { ...cell, unplayed, reason, error: `${reason} before the first part was whole` };
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
    ? `${failed} of ${failed + outcomes.length} attempts failed, above the share ${limit}; first: ${first ?? 'unknown'}`
    : undefined;
  const cell = summarizeCell({ column, outcomes, failed, error });
  const spent = parts.flatMap((part) => part.spent ?? []);
  if (cell.sampledTokens === undefined || spent.length === 0) return cell;
  return { ...cell, sampledTokens: spent.reduce(addSpent).output };
}

/** What to say when a table was stopped. */
export const stopped = (keep: string | undefined): AppError =>
  new AppError(
    'cli.interrupted',
    keep === undefined
      ? 'eval: stopped; nothing was kept, as no file was named: add --keep FILE to go on where it was stopped'
      : `eval: stopped; what was played is in ${keep}, and the same command goes on from there`,
  );
