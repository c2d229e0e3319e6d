/**
 * @file Trajectories while they are played, as far as trainers tell: the newest turns of a few episodes of the newest step of
 * each run. Kept in memory only; the whole trajectory is stored when its step ends.
 */
import type { StopReason } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { TrajectoryInFlight } from '../../database/in-flight.js';
import { LiveBus } from '../../database/live-bus.js';
import type { IncomingEvent } from '../records/stored-record.js';

type TurnEvent = Extract<IncomingEvent, { kind: 'turn' }>;

const maxRuns = 64;
const maxEpisodes = 16;
const keptTurns = 8;
/** pictures are larger than everything else */
const keptImages = 2;

@Injectable()
export class TrajectoriesInFlight {
  private readonly runs = new LRUCache<string, Map<string, TrajectoryInFlight>>({ max: maxRuns });

  constructor(private readonly bus: LiveBus) {}

  /** Takes what a trainer told of a turn. */
  note(runId: string, { kind: _, time, step, id, environment, turn, ended, ...rest }: TurnEvent): void {
    const known = this.runs.get(runId) ?? new Map<string, TrajectoryInFlight>();
    for (const [other, episode] of known) if (episode.step !== step) known.delete(other);
    const before = known.get(id);
    if (before === undefined && known.size >= maxEpisodes) return;
    const others = (before?.turns ?? []).filter((one) => one.turn < turn);
    const turns = [...others, { turn, ...rest, reward: rest.reward }].slice(-keptTurns);
    const episode: TrajectoryInFlight = {
      runId,
      id,
      step,
      environment,
      startedAt: before?.startedAt ?? time,
      updatedAt: time,
      turns: turns.map((one, at) => (at < turns.length - keptImages ? { ...one, image: null } : one)),
      ended,
    };
    known.set(id, episode);
    this.runs.set(runId, known);
    this.bus.publish('inFlight', runId, episode);
  }

  /** Tells that one has ended: its row has arrived. */
  end(runId: string, id: string, ended: StopReason, time: number): void {
    const known = this.runs.get(runId);
    const episode = known?.get(id);
    if (known === undefined || episode === undefined) return;
    known.delete(id);
    if (episode.ended === null) this.bus.publish('inFlight', runId, { ...episode, ended, updatedAt: time });
  }

  /** Forgets those of a run: another attempt begins, or its process has ended. */
  clear(runId: string): void {
    this.runs.delete(runId);
  }

  /** Those of a run, by id. */
  list(runId: string): TrajectoryInFlight[] {
    const known = this.runs.get(runId)?.values() ?? [];
    return [...known].sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  }
}
