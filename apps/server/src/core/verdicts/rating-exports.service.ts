/** @file Results of rating sets, and their export as data sets: JSON, a line each. */
import { AppError } from '@espalier/contracts';
import { toIsoTime } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { groupRows } from '../database/batch-loader.js';
import { Rater, Rating, RatingItem, type RatingSet } from '../database/entities/rating.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { RunLog } from '../database/run-log.js';
import { TrajectoryQueries } from '../history/trajectories/trajectory-queries.service.js';
import type { ExportFormat } from './rating-request.js';
import {
  computeResults,
  type ItemResult,
  type RatedPlace,
  type RatedSet,
  type RatingResults,
} from './rating-results.js';
import { findSet } from './rating-sets.service.js';
import { ratingNotPossible } from './refusals.js';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

@Injectable()
export class RatingExports {
  constructor(
    private readonly log: RunLog,
    private readonly trajectories: TrajectoryQueries,
  ) {}

  /** Whether the caller sees origin and results of a set: it has finished, or the set is closed. */
  async isRevealed({ keyId }: Caller, { id: setId, closedAt }: RatingSet): Promise<boolean> {
    if (closedAt !== null) return true;
    const rater = await this.log.read((manager) => manager.findOneBy(Rater, { setId, keyId }));
    return typeof rater?.finishedAt === 'number';
  }

  /** Computes the results of a set. @throws server.not_found, rating.not_possible before the caller may see them */
  async results(caller: Caller, setId: string): Promise<RatingResults> {
    return computeResults(await this.readSet(caller, setId));
  }

  /**
   * Exports a set, a line of JSON at a time.
   *
   * @throws server.not_found, rating.not_possible before the caller may see the ratings
   */
  async export(caller: Caller, setId: string, format: ExportFormat): Promise<AsyncGenerator<string>> {
    const rated = await this.readSet(caller, setId);
    if (format === 'preferences' && rated.set.kind !== 'pairwise')
      throw ratingNotPossible(
        `export rating set ${setId}: it has a rubric and no pairs to prefer one of; export the format ratings`,
      );
    const results = await computeResults(rated);
    return format === 'ratings' ? toRatingLines(rated, results) : this.toPreferenceLines(caller, results);
  }

  private async readSet(caller: Caller, setId: string): Promise<RatedSet> {
    const set = await this.log.read((manager) => findSet(manager, caller, setId));
    if (!(await this.isRevealed(caller, set)))
      throw ratingNotPossible(
        `read the results of rating set ${setId}: ratings of others are hidden until yours are complete; rate all items and finish, or wait until it is closed`,
      );
    return this.log.read(async (manager) => {
      const items = await manager.find(RatingItem, { where: { setId }, order: { position: 'ASC' } });
      const raters = await manager.find(Rater, {
        where: { setId },
        order: { startedAt: 'ASC', keyId: 'ASC' },
      });
      const ratings = await manager.findBy(Rating, { setId });
      return { set, items, raters, ratings, placeOf: await readPlaces(manager, items) };
    });
  }

  /** Pairs that a majority decided and that began with the same text. */
  private async *toPreferenceLines(caller: Caller, { setId, items }: RatingResults): AsyncGenerator<string> {
    for (const { position, places, ratings } of [...items].sort((a, b) => a.position - b.position)) {
      const votes = countVotes(ratings);
      const [a, b] = places;
      if (votes.a === votes.b || a === undefined || b === undefined) continue;
      const [better, worse] = votes.a > votes.b ? [a, b] : [b, a];
      const chosen = await this.messagesOf(caller, better);
      const rejected = await this.messagesOf(caller, worse);
      const [prompt] = chosen;
      if (prompt === undefined || prompt.content !== rejected[0]?.content) continue;
      yield `${JSON.stringify({
        prompt: [prompt],
        chosen: chosen.slice(1),
        rejected: rejected.slice(1),
        set: setId,
        item: position,
        chosenId: toId(better),
        rejectedId: toId(worse),
        votes,
      })}\n`;
    }
  }

  /** What a trajectory says, as messages; empty when it is no longer stored. */
  private async messagesOf(caller: Caller, { runId, trajectoryId }: RatedPlace): Promise<Message[]> {
    try {
      const row = await this.trajectories.find(runId, trajectoryId);
      const { turns } = await this.trajectories.read(row, caller.keyId);
      return turns.flatMap(({ observation, response }) => [
        { role: 'user' as const, content: observation },
        { role: 'assistant' as const, content: response },
      ]);
    } catch (error) {
      const isGone =
        error instanceof AppError && ['server.not_found', 'trajectory.not_stored'].includes(error.code);
      if (isGone) return [];
      throw error;
    }
  }
}

const toId = ({ runId, trajectoryId, step }: RatedPlace) => ({ runId, trajectoryId, step });

const countVotes = (ratings: ItemResult['ratings']) => ({
  a: ratings.filter(({ choice }) => choice === 'a').length,
  b: ratings.filter(({ choice }) => choice === 'b').length,
  tie: ratings.filter(({ choice }) => choice === 'tie').length,
});

async function* toRatingLines(
  { set, items, raters, ratings, placeOf }: RatedSet,
  results: RatingResults,
): AsyncGenerator<string> {
  const line = (row: object): string => `${JSON.stringify(row)}\n`;
  const { id, project, name, kind, instructions, criteria, sources, seed, createdAt } = set;
  const about = { id, project, name, kind, instructions, criteria, sources, seed };
  yield line({ type: 'set', ...about, createdAt: toIsoTime(createdAt), raters: results.raters });
  const names = new Map(
    raters
      .filter(({ finishedAt }) => set.closedAt !== null || finishedAt !== null)
      .map(({ keyId, name: rater }) => [keyId, rater]),
  );
  const ratingsOf = groupRows(ratings, ({ position }) => String(position));
  for (const { position, source, runId, trajectoryId, otherRunId, otherTrajectoryId } of items)
    for (const rating of ratingsOf.get(String(position)) ?? []) {
      const rater = names.get(rating.keyId);
      if (rater === undefined) continue;
      const first = toId(placeOf(runId, trajectoryId));
      const places =
        otherRunId === null
          ? { source, trajectory: first }
          : { a: first, b: toId(placeOf(otherRunId, otherTrajectoryId ?? '')) };
      const said = rating.choice === null ? { scores: rating.scores } : { choice: rating.choice };
      const { reason, time } = rating;
      yield line({
        type: 'rating',
        set: id,
        item: position,
        rater,
        ...said,
        reason,
        time: toIsoTime(time),
        ...places,
      });
    }
  const { preference, criteria: means, agreements } = results;
  yield line({ type: 'results', set: id, preference, criteria: means, agreements });
}

/** Reads what lists say of the trajectories of items. */
async function readPlaces(
  manager: EntityManager,
  items: readonly RatingItem[],
): Promise<RatedSet['placeOf']> {
  const wanted = items.flatMap(({ runId, trajectoryId, otherRunId, otherTrajectoryId }) => [
    { runId, id: trajectoryId },
    ...(otherRunId === null ? [] : [{ runId: otherRunId, id: otherTrajectoryId ?? '' }]),
  ]);
  const known = new Map<string, TrajectoryEntity>();
  for (const runId of new Set(wanted.map((place) => place.runId))) {
    const ids = wanted.filter((place) => place.runId === runId).map(({ id }) => id);
    const rows = await manager.find(TrajectoryEntity, {
      where: { runId, id: In(ids) },
      order: { superseded: 'DESC', cursor: 'ASC' },
    });
    for (const row of rows) known.set(`${runId}/${row.id}`, row);
  }
  return (runId, trajectoryId) => {
    const { step = null, reward = null, success = null } = known.get(`${runId}/${trajectoryId}`) ?? {};
    return { runId, trajectoryId, step, reward, success };
  };
}
