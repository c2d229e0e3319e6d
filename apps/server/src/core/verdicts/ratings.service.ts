/** @file Rating: what a rater sees, which is blind, and what it says. */
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import {
  Rater,
  Rating,
  type RatingChoice,
  type RatingCriterion,
  RatingItem,
  RatingSet,
} from '../database/entities/rating.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { RunLog } from '../database/run-log.js';
import { isPostgres } from '../database/run-sql.js';
import { TrajectoryQueries } from '../history/trajectories/trajectory-queries.service.js';
import { rankOf } from './draw-sample.js';
import type { RatingRequest, ShownChoice } from './rating-request.js';
import { findSet, RatingSets } from './rating-sets.service.js';
import { invalidRating, ratingNotPossible } from './refusals.js';

export class RatingScore {
  criterion!: string;

  value!: number;
}

/** An item as one rater goes through the set: in an order and with sides of its own. */
export class RatingTaskItem {
  position!: number;

  isRated!: boolean;

  choice!: ShownChoice | null;

  scores!: readonly RatingScore[] | null;

  reason!: string;
}

/** What a rater has to do. */
export class RatingTask {
  setId!: string;

  /** it has rated all and sees the results */
  finishedAt!: number | null;

  items!: readonly RatingTaskItem[];
}

export class RatedTurn {
  observation!: string;

  response!: string;
}

/** A trajectory without its origin, reward and success. */
export class RatedSide {
  turns!: readonly RatedTurn[];

  /** why it cannot be shown; null: it can */
  missing!: string | null;
}

export class RatedItem {
  position!: number;

  /** one, or left and right */
  sides!: readonly RatedSide[];
}

interface Place {
  readonly runId: string;
  readonly trajectoryId: string;
}

@Injectable()
export class Ratings {
  constructor(
    private readonly log: RunLog,
    private readonly sets: RatingSets,
    private readonly trajectories: TrajectoryQueries,
    private readonly audit: AuditService,
  ) {}

  /** The set as the caller goes through it. @throws server.not_found */
  async task(caller: Caller, setId: string): Promise<RatingTask> {
    return this.log.read(async (manager) => {
      const set = await findSet(manager, caller, setId);
      const { keyId } = caller;
      const items = await manager.findBy(RatingItem, { setId });
      const ratings = await manager.findBy(Rating, { setId, keyId });
      const rater = await manager.findOneBy(Rater, { setId, keyId });
      const inOrder = items.toSorted((a, b) => orderOf(set, keyId, a) - orderOf(set, keyId, b));
      return {
        setId,
        finishedAt: rater?.finishedAt ?? null,
        items: inOrder.map((item) => toTaskItem(set, keyId, item, ratings)),
      };
    });
  }

  /** Reads what is to be rated. @throws server.not_found */
  async item(caller: Caller, setId: string, position: number, signal?: AbortSignal): Promise<RatedItem> {
    const [set, item] = await this.log.read(async (manager) => {
      const found = await findSet(manager, caller, setId);
      return [found, await findItem(manager, found, position)] as const;
    });
    const places = placesOf(item);
    if (isSwapped(set, caller.keyId, item)) places.reverse();
    const sides: RatedSide[] = [];
    for (const place of places) sides.push(await this.read(caller, place, signal));
    return { position, sides };
  }

  /**
   * Rates an item once; the same rating again is answered as the first.
   *
   * @throws server.not_found, server.invalid_input, rating.not_possible, rating.not_possible
   */
  async rate(
    caller: Caller,
    setId: string,
    position: number,
    request: RatingRequest,
  ): Promise<RatingTaskItem> {
    const { keyId, keyName } = caller;
    const operation = `rate item ${position} of set ${setId}`;
    const [item, isNew] = await this.log.write('ratings', async (manager) => {
      const set = await findOpenSet(manager, caller, setId, operation);
      const found = await findItem(manager, set, position, 'held');
      const rating: Rating = {
        setId,
        position,
        keyId,
        choice: choiceOf(set, request, isSwapped(set, keyId, found), operation),
        scores: scoresOf(set, request, operation),
        reason: request.reason,
        time: Date.now(),
      };
      const known = await manager.findOneBy(Rating, { setId, position, keyId });
      if (known !== null) {
        if (isSame(known, rating)) return [toTaskItem(set, keyId, found, [known]), false] as const;
        throw new AppError(
          'rating.not_possible',
          `${operation}: this key has rated it already; undo that rating first`,
        );
      }
      for (const place of placesOf(found))
        if (!(await isStored(manager, place)))
          throw ratingNotPossible(`${operation}: its trajectory is no longer stored; leave it out`);
      if (!(await manager.existsBy(Rater, { setId, keyId })))
        await manager.insert(Rater, {
          setId,
          keyId,
          name: keyName,
          startedAt: rating.time,
          finishedAt: null,
        });
      await manager.insert(Rating, rating);
      this.sets.publish(manager, set);
      return [toTaskItem(set, keyId, found, [rating]), true] as const;
    });
    if (isNew) await this.audit.record(caller, 'rating.rate', setId, 'done', { position });
    return item;
  }

  /** Takes back a rating of the caller's own. @throws server.not_found, rating.not_possible */
  async undo(caller: Caller, setId: string, position: number): Promise<RatingTaskItem> {
    const { keyId } = caller;
    const operation = `undo the rating of item ${position} of set ${setId}`;
    const item = await this.log.write('ratings', async (manager) => {
      const set = await findOpenSet(manager, caller, setId, operation);
      const found = await findItem(manager, set, position);
      const { affected } = await manager.delete(Rating, { setId, position, keyId });
      if (affected === 0) throw ratingNotPossible(`${operation}: this key has not rated it; nothing to undo`);
      this.sets.publish(manager, set);
      return toTaskItem(set, keyId, found, []);
    });
    await this.audit.record(caller, 'rating.undo', setId, 'done', { position });
    return item;
  }

  /**
   * Ends the rating of the caller, who then sees everything and changes nothing more.
   *
   * @throws server.not_found, rating.not_possible
   */
  async finish(caller: Caller, setId: string): Promise<RatingSet> {
    const { keyId } = caller;
    const operation = `finish the rating of set ${setId}`;
    const finished = await this.log.write('ratings', async (manager) => {
      const set = await findOpenSet(manager, caller, setId, operation);
      const items = await manager.findBy(RatingItem, { setId });
      const rated = new Set((await manager.findBy(Rating, { setId, keyId })).map(({ position }) => position));
      if (rated.size === 0)
        throw ratingNotPossible(`${operation}: nothing is rated yet; rate its items first`);
      let open = 0;
      for (const item of items)
        if (!rated.has(item.position) && (await areStored(manager, placesOf(item)))) open += 1;
      if (open > 0)
        throw ratingNotPossible(
          `${operation}: ${open} of ${items.length} items are not rated; rate them first`,
        );
      await manager.update(Rater, { setId, keyId }, { finishedAt: Date.now() });
      this.sets.publish(manager, set);
      return set;
    });
    await this.audit.record(caller, 'rating.finish', setId, 'done');
    return finished;
  }

  private async read(
    caller: Caller,
    { runId, trajectoryId }: Place,
    signal?: AbortSignal,
  ): Promise<RatedSide> {
    try {
      const row = await this.trajectories.find(runId, trajectoryId);
      const { turns } = await this.trajectories.read(row, caller.keyId, signal);
      return { turns: turns.map(({ observation, response }) => ({ observation, response })), missing: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // the message of the error would name the run
      if (error.code === 'server.not_found') return { turns: [], missing: 'it is no longer stored' };
      if (error.code === 'trajectory.not_stored') return { turns: [], missing: 'its file is not stored yet' };
      throw new AppError(error.code, 'read an item to rate: its trajectory cannot be read now; try again');
    }
  }
}

/** The order of a rater. */
const orderOf = ({ id, seed }: RatingSet, keyId: string, { position }: RatingItem): number =>
  rankOf(seed, id, keyId, 'order', position);

/** Whether a rater sees b on the left. */
export const isSwapped = ({ id, seed }: RatingSet, keyId: string, { position }: RatingItem): boolean =>
  rankOf(seed, id, keyId, 'side', position) % 2 === 1;

/** a, and b of a pair. */
export function placesOf({ runId, trajectoryId, otherRunId, otherTrajectoryId }: RatingItem): Place[] {
  const one = { runId, trajectoryId };
  return otherRunId === null || otherTrajectoryId === null
    ? [one]
    : [one, { runId: otherRunId, trajectoryId: otherTrajectoryId }];
}

const isStored = (manager: EntityManager, { runId, trajectoryId }: Place): Promise<boolean> =>
  manager.existsBy(TrajectoryEntity, { runId, id: trajectoryId });

async function areStored(manager: EntityManager, places: readonly Place[]): Promise<boolean> {
  for (const place of places) if (!(await isStored(manager, place))) return false;
  return true;
}

/** A set that the caller may still rate. @throws server.not_found, rating.not_possible */
async function findOpenSet(
  manager: EntityManager,
  caller: Caller,
  setId: string,
  operation: string,
): Promise<RatingSet> {
  const set = await findSet(manager, caller, setId);
  if (set.closedAt !== null)
    throw ratingNotPossible(`${operation}: ${JSON.stringify(set.closedBy)} closed the set; make another one`);
  const rater = await manager.findOneBy(Rater, { setId, keyId: caller.keyId });
  if (typeof rater?.finishedAt === 'number')
    throw ratingNotPossible(
      `${operation}: this key has finished and seen the ratings of others; it changes nothing more`,
    );
  return set;
}

/** @param mode held: the item cannot be deleted until the transaction ends; SQLite has one writer, who needs no lock */
async function findItem(
  manager: EntityManager,
  { id }: RatingSet,
  position: number,
  mode: 'free' | 'held' = 'free',
): Promise<RatingItem> {
  const where = { setId: id, position };
  const isLocked = mode === 'held' && isPostgres(manager);
  const found = await manager.findOne(RatingItem, {
    where,
    ...(isLocked ? { lock: { mode: 'pessimistic_read' } } : {}),
  });
  if (found !== null) return found;
  throw new AppError(
    'server.not_found',
    `read item ${position} of rating set ${id}: there is none; its run was deleted, or its task lists the others`,
  );
}

function choiceOf(
  { kind }: RatingSet,
  { choice, scores }: RatingRequest,
  swapped: boolean,
  operation: string,
): RatingChoice | null {
  if (kind === 'rubric') {
    if (choice === undefined) return null;
    throw invalidRating(`${operation}: its criteria are rated one by one; give \`scores\`, not \`choice\``);
  }
  if (choice === undefined || scores !== undefined)
    throw invalidRating(`${operation}: it is a pair; give \`choice\`: left, right or tie`);
  if (choice === 'tie') return 'tie';
  return (choice === 'left') === swapped ? 'b' : 'a';
}

function scoresOf(
  { kind, criteria }: RatingSet,
  { scores = [] }: RatingRequest,
  operation: string,
): Readonly<Record<string, number>> | null {
  if (kind === 'pairwise') return null;
  const names = criteria.map(({ name }) => name);
  const unknown = scores.filter(({ criterion }) => !names.includes(criterion));
  if (unknown.length > 0)
    throw invalidRating(
      `${operation}: there is no criterion ${unknown.map(({ criterion }) => JSON.stringify(criterion)).join(', ')}; its criteria are ${names.join(', ')}`,
    );
  const entries = criteria.map(
    (criterion) => [criterion.name, scoreOf(criterion, scores, operation)] as const,
  );
  return Object.fromEntries(entries);
}

function scoreOf(
  { name, scale }: RatingCriterion,
  scores: readonly RatingScore[],
  operation: string,
): number {
  const given = scores.filter(({ criterion }) => criterion === name);
  const [low, high] = scale === 'yes-no' ? [0, 1] : [1, 5];
  const [score] = given;
  if (score === undefined || given.length > 1)
    throw invalidRating(
      `${operation}: criterion ${name} has ${given.length} values; give one for each criterion`,
    );
  if (score.value < low || score.value > high)
    throw invalidRating(`${operation}: ${name} is ${score.value}; expected ${low} to ${high}`);
  return score.value;
}

const isSame = (known: Rating, { choice, scores, reason }: Rating): boolean =>
  known.choice === choice &&
  known.reason === reason &&
  Object.keys(scores ?? {}).every((name) => known.scores?.[name] === scores?.[name]);

function toTaskItem(
  set: RatingSet,
  keyId: string,
  item: RatingItem,
  ratings: readonly Rating[],
): RatingTaskItem {
  const rating = ratings.find(({ position }) => position === item.position);
  const { choice = null, scores = null, reason = '' } = rating ?? {};
  const left: RatingChoice = isSwapped(set, keyId, item) ? 'b' : 'a';
  const shown = choice === null || choice === 'tie' ? choice : choice === left ? 'left' : 'right';
  return {
    position: item.position,
    isRated: rating !== undefined,
    choice: shown,
    scores:
      scores === null ? null : Object.entries(scores).map(([criterion, value]) => ({ criterion, value })),
    reason,
  };
}
