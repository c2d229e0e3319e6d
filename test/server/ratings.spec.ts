/** @file Verdicts on alerts, samples, blind ratings and their export, over the client and REST. */
import { type Client, createClient } from '@espalier/client';
import { DataSource } from 'typeorm';
import { expect, it, vi } from 'vitest';
import { AuditEntry } from '../../apps/server/src/core/database/entities/audit-entry.js';
import { Rating, RatingItem, RatingSet } from '../../apps/server/src/core/database/entities/rating.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { TrajectoryEntity } from '../../apps/server/src/core/database/entities/trajectory.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { LiveBus } from '../../apps/server/src/core/database/live-bus.js';
import { call } from '../support/ask.js';
import { callCli } from '../support/call-cli.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';

const { before, after } = ratedSteps;

describeOnEach('the verdict room', (server) => {
  const connect = async (name: string, role: 'operator' | 'viewer' = 'operator'): Promise<Client> =>
    createClient({ url: server().url, key: await server().createKey({ name, role, projects: ['default'] }) });
  const sourcesOf = (runId: string) => [
    { runId, fromStep: before, toStep: before, split: 'validation' as const },
    { runId, fromStep: after, toStep: after, split: 'validation' as const },
  ];
  const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => (error as { details?: { code?: string } }).details?.code ?? String(error),
    );
  /** Rates all pairs: `a` is the source that was named first, whichever side it is on. */
  const rateAll = async (client: Client, setId: string, choose: (position: number) => 'a' | 'b' | 'tie') => {
    const { task } = await client.ratings.open(setId);
    for (const { position } of task.items) {
      const { sides } = await client.ratings.item(setId, position);
      const isLeftA = sides[0]?.turns[0]?.response.startsWith('I look') === true;
      const wanted = choose(position);
      const choice = wanted === 'tie' ? 'tie' : (wanted === 'a') === isLeftA ? 'left' : 'right';
      await client.ratings.rate(setId, position, { choice });
    }
  };

  it('is given sets on the command line, of pairs from two ranges or one by one', async () => {
    const { runId } = await writeRatedRun(server());
    const { url, adminKey } = server();
    const create = (...words: string[]) =>
      callCli(['rating', 'create', ...words, '--server', url, '--key', adminKey]);
    const ranges = [`${runId}:${before}`, `${runId}:${after}-${after}`, '--split', 'validation'];
    const pairs = await create(...ranges, '--size', '2', '--name', 'early and late', '--json');
    expect(pairs.code, pairs.stderr).toBe(0);
    const made = JSON.parse(pairs.stdout) as { id: string };
    expect(made).toMatchObject({ kind: 'pairwise', size: 2, name: 'early and late' });
    const stored = await server()
      .app.get(DataSource)
      .getRepository(RatingSet)
      .findOneByOrFail({ id: made.id });
    expect(stored.sources).toMatchObject(sourcesOf(runId));
    const single = await create(`${runId}:${after}`, '--rubric', 'collapse', '--size', '3');
    expect(single.code, single.stderr).toBe(0);
    expect(single.stdout).toMatch(/^rating-\S+ .* 3 trajectories$/m);
    expect(single.stderr).toContain(`${url}/ratings/rating-`);
    const wrong = await create(`${runId}:late`, runId);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('write RUN, RUN:STEP or RUN:FROM-TO'),
    ]);
    const one = await create(runId);
    expect(one.stderr).toContain('server.invalid_input');
  });

  it('shows the rule of an alarm with its limit on the metric, and counts what users say', async () => {
    const { runId } = await writeRatedRun(server());
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    const [alarm] = await ann.verdicts.alarms({ runId });
    expect(alarm?.findings).toEqual([
      expect.objectContaining({
        rule: 'entropy-fall',
        metrics: ['rollout/entropy'],
        side: 'below',
        metricLimit: expect.closeTo(0.4 * 1.17, 12),
        meaning: 'the policy is sure of itself, and success has not risen',
      }),
    ]);
    const id = alarm?.id ?? '';
    await ann.verdicts.judge(id, { judgement: 'false-alarm' });
    await ann.verdicts.judge(id, { judgement: 'confirmed', reason: 'it repeats itself' });
    await bob.verdicts.judge(id, { judgement: 'unclear' });
    const [judged] = await bob.verdicts.alarms({ runId });
    expect(judged?.verdicts.map(({ createdBy, judgement }) => `${createdBy} ${judgement}`)).toEqual([
      'ann confirmed',
      'bob unclear',
    ]);
    const { kinds } = await ann.verdicts.record('default');
    expect(kinds.find(({ name }) => name === 'entropy-fall')).toMatchObject({
      isRule: true,
      confirmed: 1,
      falseAlarms: 0,
      precision: 1,
      high: 1,
    });
    const viewer = await connect('vic', 'viewer');
    expect(await codeOf(viewer.verdicts.judge(id, { judgement: 'unclear' }))).toBe('access.denied');
    const { url, adminKey } = server();
    const { body } = await call(url, adminKey, 'PUT', `/api/v1/alerts/${id}/verdict`, { judgement: 'wrong' });
    expect(body).toMatchObject({ code: 'server.invalid_input' });
    for (const client of [ann, bob, viewer]) await client.dispose();
  });

  it('draws the same sample for a seed, by outcome in proportion', async () => {
    const writer = await writeRatedRun(server());
    const { runId } = writer;
    // sampled greedily, to compare others with: never drawn
    await writer.write([trajectoryEvent(7, 4, { kept: false, outcome: 'greedy-baseline' })]);
    const ann = await connect('sam');
    const sample = { fromStep: 5, toStep: 10, size: 4, seed: 3 };
    const drawn = await ann.verdicts.sample(runId, sample);
    expect(drawn).toMatchObject({
      available: 8,
      strata: [
        { success: true, available: 4, taken: 2 },
        { success: false, available: 4, taken: 2 },
      ],
    });
    expect(await ann.verdicts.sample(runId, sample)).toEqual(drawn);
    const seeds = await Promise.all([4, 5, 6].map((seed) => ann.verdicts.sample(runId, { ...sample, seed })));
    const idsOf = ({ trajectories }: typeof drawn): string => trajectories.map(({ id }) => id).join();
    expect(seeds.some((other) => idsOf(other) !== idsOf(drawn))).toBe(true);
    await ann.dispose();
  });

  it('is blind until one has rated all, then shows what others said and exports it', async () => {
    const { runId } = await writeRatedRun(server());
    const [ann, bob] = [await connect('ann-2'), await connect('bob-2')];
    const set = await ann.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId), size: 10 });
    expect(set).toMatchObject({ size: 4, kind: 'pairwise', sources: null, seed: null });
    // of four pairs Ann prefers a, a, tie, b and Bob a, a, b, b
    const annSays = ['a', 'a', 'tie', 'b'] as const;
    const bobSays = ['a', 'a', 'b', 'b'] as const;
    await rateAll(ann, set.id, (position) => annSays[position] ?? 'tie');
    const item = JSON.stringify(await bob.ratings.item(set.id, 0));
    expect(item).not.toMatch(/run-|validation|reward|success/);
    expect((await bob.ratings.open(set.id)).results).toBeNull();
    expect(await codeOf(ann.ratings.export(set.id, 'ratings'))).toBe('rating.not_possible');
    await ann.ratings.finish(set.id);
    expect((await ann.ratings.open(set.id)).results?.raters).toEqual(['ann-2']);
    expect((await bob.ratings.open(set.id)).results).toBeNull();
    expect((await bob.ratings.open(set.id)).progress).toMatchObject([{ name: 'ann-2', rated: 4 }]);
    await rateAll(bob, set.id, (position) => bobSays[position] ?? 'tie');
    await bob.ratings.finish(set.id);
    const { results } = await ann.ratings.open(set.id);
    expect(results?.preference).toMatchObject({ wins: 2, ties: 0, losses: 2, winRate: 0.5 });
    // by hand: n_a = 4, n_tie = 1, n_b = 3 of 8 values, one pair differs (o = 2 of 8):
    // α = 1 − (8 − 1) · 2 / (2 · (4·1 + 4·3 + 1·3)) = 1 − 14/38
    expect(results?.agreements[0]).toMatchObject({
      level: 'nominal',
      alpha: expect.closeTo(1 - 14 / 38, 12),
      units: 4,
      ratings: 8,
    });
    expect(results?.items[0]).toMatchObject({ position: 2, disagreement: 1 });
    const lines = (await (await ann.ratings.export(set.id, 'ratings')).text()).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ type }) => type)).toEqual(['set', ...new Array<string>(8).fill('rating'), 'results']);
    expect(rows.at(-1)).toMatchObject({ agreements: [{ alpha: expect.closeTo(1 - 14 / 38, 12) }, {}] });
    const preferences = (await (await ann.ratings.export(set.id, 'preferences')).text()).trim().split('\n');
    // a tie and a word for b give b
    const [pair] = preferences.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(preferences).toHaveLength(4);
    expect(pair).toMatchObject({
      prompt: [{ role: 'user', content: expect.stringMatching(/^Lamp \d is off\.$/) }],
      chosen: [
        { role: 'assistant', content: 'I look for the switch first. Press it.' },
        { role: 'user', content: 'You see a switch.' },
        { role: 'assistant', content: 'Press the switch.' },
      ],
      rejected: [{ content: 'Press press press.' }, {}, {}],
      chosenId: { runId, step: before },
    });
    const entries = await server()
      .app.get(DataSource)
      .getRepository(AuditEntry)
      .findBy({ subject: set.id, action: 'rating.rate' });
    expect(entries).toHaveLength(8);
    for (const client of [ann, bob]) await client.dispose();
  });

  it('shuffles sides and order for each rater, the same for one', async () => {
    const { runId } = await writeRatedRun(server());
    const clients = await Promise.all(['s-1', 's-2', 's-3'].map((name) => connect(name)));
    const set = await clients[0]?.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId) });
    const viewOf = async (client: Client): Promise<string> => {
      const { task } = await client.ratings.open(set?.id ?? '');
      const sides = await Promise.all(
        task.items.map(({ position }) => client.ratings.item(set?.id ?? '', position)),
      );
      return sides.map((item) => `${item.position}${item.sides[0]?.turns[0]?.response.charAt(0)}`).join();
    };
    const views = await Promise.all(clients.map(viewOf));
    expect(new Set(views).size).toBeGreaterThan(1);
    expect(await Promise.all(clients.map(viewOf))).toEqual(views);
    for (const client of clients) await client.dispose();
  });

  it('scores a rubric, and refuses what it does not ask', async () => {
    const { runId } = await writeRatedRun(server());
    const ann = await connect('ann-3');
    const set = await ann.ratings.create({
      kind: 'rubric',
      rubric: 'collapse',
      sources: sourcesOf(runId),
      size: 2,
    });
    expect(set.size).toBe(4);
    const scores = [
      { criterion: 'repetitive', value: 1 },
      { criterion: 'template', value: 0 },
      { criterion: 'readable', value: 4 },
    ];
    const rate = (given: object) => codeOf(ann.ratings.rate(set.id, 0, given));
    expect(await rate({ choice: 'left' })).toBe('server.invalid_input');
    expect(await rate({ scores: scores.slice(1) })).toBe('server.invalid_input');
    expect(await rate({ scores: [...scores, { criterion: 'charm', value: 1 }] })).toBe(
      'server.invalid_input',
    );
    expect(await rate({ scores: [{ criterion: 'repetitive', value: 2 }, ...scores.slice(1)] })).toBe(
      'server.invalid_input',
    );
    expect(await codeOf(ann.ratings.finish(set.id))).toBe('rating.not_possible');
    expect(await rate({ scores })).toBe('done');
    expect(await rate({ scores })).toBe('done');
    expect(await rate({ scores, reason: 'again' })).toBe('rating.not_possible');
    await ann.ratings.undo(set.id, 0);
    expect(await codeOf(ann.ratings.undo(set.id, 0))).toBe('rating.not_possible');
    expect(await rate({ scores, reason: 'again' })).toBe('done');
    expect(await codeOf(ann.ratings.export(set.id, 'preferences'))).toBe('rating.not_possible');
    const closed = await ann.ratings.close(set.id);
    expect(closed.sources?.map(({ taken }) => taken)).toEqual([2, 2]);
    const { results } = await ann.ratings.open(set.id);
    expect(results?.criteria.filter(({ items }) => items > 0)).toHaveLength(3);
    expect(await codeOf(ann.ratings.rate(set.id, 1, { scores }))).toBe('rating.not_possible');
    await ann.dispose();
  });

  it('refuses sets of nothing, unknown rubrics, one source for pairs, and what others made', async () => {
    const { runId } = await writeRatedRun(server());
    const [ann, bob] = [await connect('ann-4'), await connect('bob-4')];
    const create = (given: object) =>
      codeOf(ann.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId), ...given } as never));
    const [first] = sourcesOf(runId);
    expect(await create({ sources: [first, { runId, fromStep: 1, toStep: 2 }] })).toBe(
      'rating.nothing_to_rate',
    );
    expect(await create({ sources: [first] })).toBe('server.invalid_input');
    expect(await create({ kind: 'rubric', rubric: 'beauty' })).toBe('server.invalid_input');
    expect(await create({ kind: 'rubric', criteria: [] })).toBe('server.invalid_input');
    expect(await create({ sources: [first, { runId: 'run-none' }] })).toBe('server.not_found');
    const elsewhere = await writeRatedRun(server(), 'elsewhere');
    expect(await create({ sources: [first, { runId: elsewhere.runId }] })).toBe('server.not_found');
    const set = await ann.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId) });
    expect(await codeOf(bob.ratings.close(set.id))).toBe('rating.not_possible');
    expect(await codeOf(bob.ratings.delete(set.id))).toBe('rating.not_possible');
    expect(await codeOf(bob.ratings.rate(set.id, 99, { choice: 'tie' }))).toBe('server.not_found');
    for (const client of [ann, bob]) await client.dispose();
  });

  it('leaves out what is no longer stored, and goes with its run', async () => {
    const { runId } = await writeRatedRun(server());
    const { app, url } = server();
    const key = await server().createKey({ name: 'ann-5', role: 'operator', projects: ['default'] });
    const ann = createClient({ url, key });
    const set = await ann.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId) });
    const database = app.get(DataSource);
    const item = await database.getRepository(RatingItem).findOneByOrFail({ setId: set.id, position: 0 });
    await database.getRepository(TrajectoryEntity).delete({ runId, id: item.trajectoryId });
    const shown = await ann.ratings.item(set.id, 0);
    expect(shown.sides.map(({ missing }) => missing).sort()).toEqual(['it is no longer stored', null]);
    expect(await codeOf(ann.ratings.rate(set.id, 0, { choice: 'tie' }))).toBe('rating.not_possible');
    for (const position of [1, 2, 3]) await ann.ratings.rate(set.id, position, { choice: 'tie' });
    await ann.ratings.finish(set.id);
    const { keyId } = await ann.me();
    await call(url, server().adminKey, 'DELETE', `/api/v1/keys/${keyId}`);
    expect(await codeOf(ann.ratings.open(set.id))).toBe('access.unauthenticated');
    const admin = createClient({ url, key: server().adminKey });
    expect((await admin.ratings.open(set.id)).progress).toMatchObject([{ name: 'ann-5', rated: 3 }]);
    await database.getRepository(Job).update({ runId }, { state: 'finished' });
    await database.getRepository(Run).update({ id: runId }, { state: 'finished' });
    await call(url, server().adminKey, 'DELETE', `/api/v1/runs/${runId}`);
    expect(await codeOf(admin.ratings.open(set.id))).toBe('server.not_found');
    expect(await database.getRepository(Rating).countBy({ setId: set.id })).toBe(0);
    expect(await database.getRepository(RatingSet).countBy({ id: set.id })).toBe(0);
    for (const client of [ann, admin]) await client.dispose();
  });

  it('tells followers of the sets that shrink or go with a run', async () => {
    const [{ runId }, { runId: otherId }] = [await writeRatedRun(server()), await writeRatedRun(server())];
    const { app, url, adminKey } = server();
    const admin = createClient({ url, key: adminKey });
    const own = await admin.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId) });
    const sources = [...sourcesOf(runId).slice(0, 1), ...sourcesOf(otherId).slice(0, 1)];
    const shared = await admin.ratings.create({ kind: 'rubric', sources });
    const told = new Map<string, number>();
    const end = app.get(LiveBus).on('ratingSet', '*', ({ id, size }) => void told.set(id, size));
    await app.get(DataSource).getRepository(Job).update({ runId }, { state: 'finished' });
    await app.get(DataSource).getRepository(Run).update({ id: runId }, { state: 'finished' });
    await call(url, adminKey, 'DELETE', `/api/v1/runs/${runId}`);
    end();
    const { size } = await admin.ratings.open(shared.id);
    expect(size).toBeLessThan(shared.size);
    expect([...told].sort()).toEqual(
      [
        [own.id, own.size],
        [shared.id, size],
      ].sort(),
    );
    await admin.dispose();
  });

  it('leaves no rating behind when a run is deleted while somebody rates it', async () => {
    const { runId } = await writeRatedRun(server());
    const database = server().app.get(DataSource);
    // SQLite has one writer at a time, so that nothing can come in between
    if (database.options.type !== 'postgres') return;
    const { url, adminKey } = server();
    const admin = createClient({ url, key: adminKey });
    const { id: setId } = await admin.ratings.create({ kind: 'pairwise', sources: sourcesOf(runId) });
    const where = { setId, position: 0 };
    await admin.ratings.rate(setId, 1, { choice: 'tie' });
    const rated = await database.getRepository(Rating).findOneByOrFail({ setId, position: 1 });
    const other = database.createQueryRunner();
    const isWaiting = async (): Promise<boolean> => {
      const rows = (await database.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%rating_item%'",
      )) as unknown[];
      return rows.length > 0;
    };

    // a deletion that is under way: a rating waits for it, and is refused
    await other.startTransaction();
    await other.manager.delete(RatingItem, where);
    const rating = codeOf(admin.ratings.rate(setId, 0, { choice: 'tie' }));
    await vi.waitUntil(isWaiting, 10_000);
    await other.commitTransaction();
    expect(await rating).toBe('server.not_found');

    // a rating that is under way: the deletion waits for it, and takes it along
    await other.startTransaction();
    await other.manager.findOne(RatingItem, {
      where: { setId, position: 1 },
      lock: { mode: 'pessimistic_read' },
    });
    await other.manager.insert(Rating, { ...rated, keyId: 'another' });
    await database.getRepository(Job).update({ runId }, { state: 'finished' });
    await database.getRepository(Run).update({ id: runId }, { state: 'finished' });
    const deletion = call(url, adminKey, 'DELETE', `/api/v1/runs/${runId}`);
    await vi.waitUntil(isWaiting, 10_000);
    await other.commitTransaction();
    await deletion;
    expect(await database.getRepository(Rating).countBy({ setId })).toBe(0);
    await other.release();
    await admin.dispose();
  });
});
