/**
 * @file Trajectories while they are played, as far as trainers tell: the newest turns of the episodes of the newest step of
 * each run. Kept in memory only, and of each run a bounded amount of text; the whole trajectory is stored when its step ends.
 */
import type { StopReason } from '@espalier/contracts';
import { inFlightLimits } from '@espalier/contracts/in-flight';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { TrajectoryInFlight, TurnInFlight } from '../../database/in-flight.js';
import { LiveBus } from '../../database/live-bus.js';
import type { IncomingEvent } from '../records/stored-record.js';

type TurnEvent = Extract<IncomingEvent, { kind: 'turn' }>;

const maxRuns = 64;
const keptTurns = 8;
/** pictures are larger than everything else */
const keptImages = 2;
/** of all episodes of a run; those that changed longest ago lose their turns first */
const maxCharacters = 4 * 1024 * 1024;
const previewLength = 160;

interface Known {
  /** by id, the ones that changed longest ago first */
  readonly episodes: Map<string, TrajectoryInFlight>;
  characters: number;
  /** the newest step whose rows have arrived, and when they were written: what was told before is over */
  stored: { readonly step: number; readonly time: number } | undefined;
}

@Injectable()
export class TrajectoriesInFlight {
  private readonly runs = new LRUCache<string, Known>({ max: maxRuns });

  constructor(private readonly bus: LiveBus) {}

  /** Takes what a trainer told of a turn. */
  note(runId: string, event: TurnEvent): void {
    const known: Known = this.runs.get(runId) ?? { episodes: new Map(), characters: 0, stored: undefined };
    const { episodes, stored } = known;
    const { id, step, time } = event;
    if (stored?.step === step && time <= stored.time) return;
    for (const [other, episode] of episodes) if (episode.step !== step) drop(known, other);
    const before = episodes.get(id);
    if (before === undefined && episodes.size >= inFlightLimits.episodes) return;
    const episode = withTurn(before, runId, event);
    drop(known, id);
    add(known, episode);
    for (const [other, { turns }] of episodes) {
      if (known.characters <= maxCharacters) break;
      if (turns.length === 0 || other === id) continue;
      known.characters -= charactersOf(turns);
      episodes.set(other, { ...(episodes.get(other) ?? episode), turns: [] });
    }
    this.runs.set(runId, known);
    this.bus.publish('inFlight', runId, episode);
  }

  /** Tells that one has ended: its row has arrived. */
  end(
    runId: string,
    { id, step, ended, time }: { id: string; step: number; ended: StopReason; time: number },
  ): void {
    const known = this.runs.get(runId);
    if (known === undefined) return;
    if (id.startsWith('train/')) known.stored = { step, time };
    const episode = known.episodes.get(id);
    if (episode === undefined) return;
    drop(known, id);
    if (episode.ended === null)
      this.bus.publish('inFlight', runId, { ...episode, phase: 'over', ended, updatedAt: time });
  }

  /** Forgets those of a run: another attempt begins, or its process has ended. */
  clear(runId: string): void {
    this.runs.delete(runId);
  }

  /** Those of a run, by id. @param ids default: all */
  list(runId: string, ids?: readonly string[]): TrajectoryInFlight[] {
    const known = this.runs.get(runId)?.episodes.values() ?? [];
    const wanted = ids === undefined ? undefined : new Set(ids);
    return [...known]
      .filter(({ id }) => wanted?.has(id) ?? true)
      .sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  }
}

const charactersOf = (turns: readonly TurnInFlight[]): number =>
  turns.reduce(
    (sum, { observation, render, image, response }) =>
      sum + observation.length + render.length + (image?.length ?? 0) + (response?.length ?? 0),
    0,
  );

function add(known: Known, episode: TrajectoryInFlight): void {
  known.episodes.set(episode.id, episode);
  known.characters += charactersOf(episode.turns);
}

function drop(known: Known, id: string): void {
  known.characters -= charactersOf(known.episodes.get(id)?.turns ?? []);
  known.episodes.delete(id);
}

/** An episode with a turn that changed; what was told of its state before is kept. */
function withTurn(
  before: TrajectoryInFlight | undefined,
  runId: string,
  { time, step, id, environment, turn, ended, phase = 'sampling', totalReward = 0, ...told }: TurnEvent,
): TrajectoryInFlight {
  const known = before?.turns.find((one) => one.turn === turn);
  const newest: TurnInFlight = {
    turn,
    phase,
    observation: told.observation ?? known?.observation ?? '',
    render: told.render ?? known?.render ?? '',
    image: told.observation === null ? (known?.image ?? null) : told.image,
    response: told.response,
    actions: told.actions,
    reward: told.reward,
  };
  const earlier = (before?.turns ?? []).filter((one) => one.turn < turn);
  const turns = [...earlier, newest].slice(-keptTurns);
  const said = turn === 0 ? '' : (before?.preview ?? '');
  return {
    runId,
    id,
    step,
    environment,
    startedAt: before?.startedAt ?? time,
    updatedAt: time,
    turn,
    phase,
    preview: told.response?.slice(0, previewLength) ?? said,
    reward: totalReward,
    turns: turns.map((one, at) => (at < turns.length - keptImages ? { ...one, image: null } : one)),
    ended,
  };
}
