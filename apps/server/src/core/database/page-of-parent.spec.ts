import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { describePartsOnEach } from '../../../../../test/support/each-database.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { newAlert } from '../history/alerts/alert.service.js';
import { Alert } from './entities/alert.js';
import { columnKey, type PagePart, readPage } from './page.js';
import { createPageLoader } from './page-of-parent.js';

describePartsOnEach('pages of what belongs to the rows of a list', (open) => {
  let parts: JobParts;
  beforeEach(async () => {
    parts = await createJobParts(await open());
    const alerts = ['a', 'b', 'c'].flatMap((runId, index) =>
      Array.from({ length: 4 * index }, (_, time) =>
        newAlert({ runId, project: 'p', code: 'trainer.no_signal', message: `${time}`, time }),
      ),
    );
    await parts.source.getRepository(Alert).insert(alerts);
  });
  afterEach(async () => parts.close());

  const select = () => parts.source.getRepository(Alert).createQueryBuilder('alert');
  const readAlone = (runId: string, part: PagePart) =>
    readPage(select().where({ runId }), part, [columnKey('alert', 'id', 'text')]);

  it.each<PagePart>([{ last: 1 }, { first: 3 }, { first: 200 }, {}])(
    'are those that are read one by one, by one query: %o',
    async (part) => {
      const runs = ['a', 'b', 'c', 'none'];
      const alone = await Promise.all(runs.map((run) => readAlone(run, part)));
      const load = createPageLoader(select, 'runId');
      const queries = vi.spyOn(parts.source, 'createQueryRunner');
      const together = await Promise.all(runs.map((run) => load(run, part)));
      expect(queries).toHaveBeenCalledTimes(1);
      queries.mockRestore();
      const told = ({ nodes, edges, pageInfo }: (typeof alone)[number]) => ({ nodes, edges, pageInfo });
      expect(together.map(told)).toEqual(alone.map(told));
      expect(await Promise.all(together.map((page) => page.totalCount()))).toEqual([0, 4, 8, 0]);
    },
  );

  it('go on behind a cursor', async () => {
    const load = createPageLoader(select, 'runId');
    const first = await load('c', { first: 5 });
    const next = await load('c', { first: 5, after: first.pageInfo.endCursor });
    expect(next.nodes).toHaveLength(3);
    const all = await readAlone('c', { first: 20 });
    expect([...first.nodes, ...next.nodes]).toEqual(all.nodes);
  });
});
