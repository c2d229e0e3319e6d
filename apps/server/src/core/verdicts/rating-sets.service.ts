/** @file Sets of trajectories that people rate: drawn, listed, closed and deleted. */
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import { type Caller, canSee, restrictToVisible } from '../access/caller.js';
import { createId } from '../database/create-id.js';
import {
  Rater,
  Rating,
  type RatingCriterion,
  RatingItem,
  RatingSet,
  type RatingSource,
} from '../database/entities/rating.js';
import { Run } from '../database/entities/run.js';
import { LiveBus } from '../database/live-bus.js';
import { columnKey, type Page, type PagePart, readPage } from '../database/page.js';
import { RunLog } from '../database/run-log.js';
import { findRunOrFail } from '../history/records/find-run.js';
import { type Drawable, drawSameState, drawSample, rankOf } from './draw-sample.js';
import type { RatingSetConditions, RatingSetRequest, RatingSourceRequest } from './rating-request.js';
import { invalidRating, nothingToRate, ratingNotPossible } from './refusals.js';
import { rubrics } from './rubrics.js';
import { TrajectorySampler } from './trajectory-sampler.service.js';

/** How far a rater is. */
export class RaterProgress {
  name!: string;

  rated!: number;

  startedAt!: number;

  finishedAt!: number | null;
}

const keys = [columnKey('set', 'createdAt', 'integer'), columnKey('set', 'id', 'text')];
const operation = 'make a rating set';

/** A source, and what can be drawn from it. */
interface Pool {
  readonly source: RatingSource;
  readonly rows: readonly Drawable[];
}

@Injectable()
export class RatingSets {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly audit: AuditService,
    private readonly sampler: TrajectorySampler,
  ) {}

  /** Draws a set. @throws server.not_found, server.invalid_input, rating.nothing_to_rate */
  async create(caller: Caller, request: RatingSetRequest): Promise<RatingSet> {
    const criteria = criteriaOf(request);
    const runs = await Promise.all(
      request.sources.map(({ runId }) => findRunOrFail(this.source.manager, caller, runId)),
    );
    const [{ project } = { project: '' }] = runs;
    if (runs.some((run) => run.project !== project))
      throw invalidRating(`${operation}: its runs belong to two projects; a set has one, as keys do`);
    const pools = await Promise.all(
      request.sources.map(async (source, i) => this.poolOf(runs[i] as Run, source)),
    );
    const id = createId('rating');
    const items = drawItems(request, pools).map((item, position) => ({ ...item, setId: id, position }));
    const set: RatingSet = {
      id,
      project,
      name: request.name || nameOf(request, pools),
      kind: request.kind,
      instructions: request.instructions,
      criteria,
      sources: pools.map(({ source }, i) => ({ ...source, taken: countOf(request, items, i) })),
      seed: request.seed,
      size: items.length,
      createdBy: caller.keyName,
      keyId: caller.keyId,
      createdAt: Date.now(),
      closedAt: null,
      closedBy: null,
    };
    await this.log.write('ratings', async (manager) => {
      const present = await manager.countBy(Run, { id: In(runs.map((run) => run.id)) });
      if (present < new Set(runs.map((run) => run.id)).size)
        throw new AppError('server.not_found', `${operation}: a run was deleted meanwhile`);
      await manager.insert(RatingSet, set);
      for (let from = 0; from < items.length; from += 100)
        await manager.insert(RatingItem, items.slice(from, from + 100));
      this.publish(manager, set);
    });
    await this.audit.record(caller, 'rating.create', id, 'done', { name: set.name });
    return set;
  }

  /** Lists sets that the caller may see, newest first. @throws server.invalid_cursor, server.invalid_input */
  async list(
    caller: Caller,
    { project, open }: RatingSetConditions,
    page: PagePart,
  ): Promise<Page<RatingSet>> {
    const query = this.source.getRepository(RatingSet).createQueryBuilder('set').where('1 = 1');
    restrictToVisible(query, caller);
    if (project !== undefined) query.andWhere('set.project = :project', { project });
    if (open !== undefined) query.andWhere(`set.closedAt IS ${open ? '' : 'NOT '}NULL`);
    return readPage(query, page, keys, 'desc', (work) => this.log.read(work));
  }

  /** @throws server.not_found */
  async find(caller: Caller, id: string): Promise<RatingSet> {
    return this.log.read((manager) => findSet(manager, caller, id));
  }

  /** Says how far each rater is, in the order in which they began. */
  async progress(setId: string): Promise<RaterProgress[]> {
    return this.log.read(async (manager) => {
      const raters = await manager.find(Rater, {
        where: { setId },
        order: { startedAt: 'ASC', keyId: 'ASC' },
      });
      const counts = await manager
        .getRepository(Rating)
        .createQueryBuilder('rating')
        .select('rating.keyId', 'keyId')
        .addSelect('COUNT(*)', 'rated')
        .where({ setId })
        .groupBy('rating.keyId')
        .getRawMany<{ keyId: string; rated: unknown }>();
      return raters.map(({ keyId, name, startedAt, finishedAt }) => {
        const rated = Number(counts.find((row) => row.keyId === keyId)?.rated ?? 0);
        return { name, rated, startedAt, finishedAt };
      });
    });
  }

  /** Ends the rating for all: what was rated counts, and everyone sees it. @throws server.not_found, rating.not_possible */
  async close(caller: Caller, id: string): Promise<RatingSet> {
    const closed = await this.log.write('ratings', async (manager) => {
      const set = await findSet(manager, caller, id);
      assertOwn(caller, set, 'close');
      if (set.closedAt !== null) return set;
      const change = { closedAt: Date.now(), closedBy: caller.keyName };
      await manager.update(RatingSet, { id }, change);
      const changed = { ...set, ...change };
      this.publish(manager, changed);
      return changed;
    });
    await this.audit.record(caller, 'rating.close', id, 'done');
    return closed;
  }

  /** Deletes a set with its ratings. @throws server.not_found, rating.not_possible */
  async delete(caller: Caller, id: string): Promise<RatingSet> {
    const deleted = await this.log.write('ratings', async (manager) => {
      const set = await findSet(manager, caller, id);
      assertOwn(caller, set, 'delete');
      for (const entity of [Rating, Rater, RatingItem]) await manager.delete(entity, { setId: id });
      await manager.delete(RatingSet, { id });
      this.publish(manager, set);
      return set;
    });
    await this.audit.record(caller, 'rating.delete', id, 'done', { name: deleted.name });
    return deleted;
  }

  /** Tells followers of a set once the write is committed. */
  publish(manager: EntityManager, set: RatingSet): void {
    this.log.afterCommit(manager, () => this.bus.publish('ratingSet', set.id, set));
  }

  private async poolOf(run: Run, request: RatingSourceRequest): Promise<Pool> {
    const { fromStep, toStep = Math.max(fromStep, run.steps), split = null } = request;
    if (toStep < fromStep)
      throw invalidRating(`${operation}: steps ${fromStep} to ${toStep} are no range; swap them`);
    const rows = await this.sampler.read({ runId: run.id, fromStep, toStep, split });
    const runName = run.title || run.name;
    const range = { runId: run.id, runName, fromStep, toStep, split };
    return { source: { ...range, available: rows.length, taken: 0 }, rows };
  }
}

/** @throws server.not_found */
export async function findSet(manager: EntityManager, caller: Caller, id: string): Promise<RatingSet> {
  const found = await manager.findOneBy(RatingSet, { id });
  if (found !== null && canSee(caller, found.project)) return found;
  throw new AppError(
    'server.not_found',
    `read rating set "${id.slice(0, 100)}": there is no such set in the projects of this key; it was deleted, or list sets to find its id`,
  );
}

function assertOwn(caller: Caller, { id, keyId, createdBy }: RatingSet, what: string): void {
  if (keyId === caller.keyId || caller.role === 'admin') return;
  throw ratingNotPossible(
    `${what} rating set ${id}: ${JSON.stringify(createdBy)} made it with another key; ask them, or an admin`,
  );
}

/** @throws server.invalid_input */
function criteriaOf({ kind, criteria, rubric, sources }: RatingSetRequest): readonly RatingCriterion[] {
  if (kind === 'pairwise') {
    if (criteria !== undefined || rubric !== undefined)
      throw invalidRating(`${operation}: pairs have no criteria; leave out \`criteria\` and \`rubric\``);
    if (sources.length !== 2)
      throw invalidRating(`${operation}: pairs need two sources, and there is ${sources.length}; add one`);
    return [];
  }
  if (criteria === undefined) {
    const id = rubric ?? 'reasoning-quality';
    const found = rubrics.find((one) => one.id === id);
    if (found !== undefined) return found.criteria;
    throw invalidRating(
      `${operation}: there is no rubric ${JSON.stringify(id)}; choose one of ${rubrics.map((one) => one.id).join(', ')}, or give criteria`,
    );
  }
  const names = criteria.map(({ name }) => name);
  if (rubric !== undefined)
    throw invalidRating(`${operation}: \`criteria\` and \`rubric\` contradict each other; give one of them`);
  if (names.length === 0) throw invalidRating(`${operation}: \`criteria\` is empty; name at least one`);
  if (new Set(names).size < names.length)
    throw invalidRating(`${operation}: two criteria have one name; rename one of them`);
  return criteria;
}

type DrawnItem = Omit<RatingItem, 'setId' | 'position'>;

/** @throws rating.nothing_to_rate */
function drawItems({ kind, size, seed, pairing }: RatingSetRequest, pools: readonly Pool[]): DrawnItem[] {
  for (const { source, rows } of pools)
    if (rows.length === 0)
      throw nothingToRate(
        `${operation}: run ${source.runId} has no stored trajectory of steps ${source.fromStep} to ${source.toStep}${source.split === null ? '' : ` of split ${source.split}`}; choose other steps`,
      );
  const [first, second] = pools.map(({ rows }) => rows);
  if (kind === 'rubric' || first === undefined || second === undefined) {
    const drawn = pools.flatMap(({ rows }, source) =>
      drawSample(rows, size, seed).drawn.map(({ runId, id }) => ({
        source,
        runId,
        trajectoryId: id,
        otherRunId: null,
        otherTrajectoryId: null,
      })),
    );
    // positions say nothing of the source
    return drawn
      .map((item) => ({ item, rank: rankOf(seed, 'order', item.runId, item.trajectoryId) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
  const pairs =
    pairing === 'same-state'
      ? drawSameState(first, second, size, seed)
      : zip(drawSample(first, size, seed).drawn, drawSample(second, size, seed).drawn);
  const differing = pairs.filter(([one, other]) => one.runId !== other.runId || one.id !== other.id);
  if (differing.length > 0)
    return differing.map(([one, other]) => ({
      source: 0,
      runId: one.runId,
      trajectoryId: one.id,
      otherRunId: other.runId,
      otherTrajectoryId: other.id,
    }));
  throw nothingToRate(
    `${operation}: no two trajectories of the sources began in the same state; compare the validation split, whose states come again, or choose \`pairing\` any`,
  );
}

const zip = <T>(ones: readonly T[], others: readonly T[]): (readonly [T, T])[] =>
  ones.slice(0, others.length).map((one, i) => [one, others[i] as T] as const);

const countOf = ({ kind }: RatingSetRequest, items: readonly DrawnItem[], source: number): number =>
  kind === 'pairwise' ? items.length : items.filter((item) => item.source === source).length;

function nameOf({ kind }: RatingSetRequest, pools: readonly Pool[]): string {
  const names = pools.map(
    ({ source: { runName, fromStep, toStep } }) =>
      `${runName} ${fromStep === toStep ? fromStep : `${fromStep}–${toStep}`}`,
  );
  return `${kind === 'pairwise' ? '' : 'rubric, '}${names.join(' against ')}`.slice(0, 200);
}
