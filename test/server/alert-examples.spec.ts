/** @file The trajectories that show an alarm: chosen by the quantity of its rule, over the client and REST. */
import { createClient } from '@espalier/client';
import { expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';

describeOnEach('the trajectories that show an alarm', (server) => {
  it('are chosen by the quantity of the rule, near the alarm, best first', async () => {
    const writer = await writeRatedRun(server());
    const { url, adminKey } = server();
    const client = createClient({ url, key: adminKey });
    const { runId } = writer;
    const id = (await client.overview.alerts({ runId })).items[0]?.id ?? '';
    // none are stored of the steps at which it fired: the next ones are looked at, and their turns read
    const words = await client.verdicts.examples(id, { rule: 'few-phrases' });
    expect(words).toMatchObject({
      quantity: 'distinct-2',
      order: 'least',
      unit: '1',
      fromStep: 8,
      toStep: 10,
      available: 4,
      considered: 4,
    });
    // "Press press press." twice has 6 pairs of words, 2 different
    expect(words.examples.map(({ trajectory }) => trajectory.step)).toEqual([10, 10, 10, 10]);
    expect(words.examples[0]?.value).toBeCloseTo(2 / 6, 6);

    // groups of one state at the alarm: the one whose members earn the same comes first, two of it before others
    const rewards = [
      [0, [1, 0.5]],
      [1, [0.3, 0.3, 0.3]],
    ] as const;
    await writer.write([
      ...rewards.flatMap(([group, values]) =>
        values.map((reward, index) =>
          trajectoryEvent(ratedSteps.alarm, index, { id: `train/8/${group}/${index}`, group, reward }),
        ),
      ),
      // what a group is compared with is none of it
      trajectoryEvent(ratedSteps.alarm, 3, {
        id: 'train/8/1/3',
        group: 1,
        reward: 9,
        kept: false,
        outcome: 'greedy-baseline',
      }),
    ]);
    const flat = await client.verdicts.examples(id, { rule: 'reward-deviation', size: 4 });
    expect(flat).toMatchObject({ quantity: 'group-deviation', fromStep: 7, toStep: 8, available: 5 });
    const groups = flat.examples.map(({ trajectory, value }) => [trajectory.id.split('/')[2], value]);
    expect(groups.slice(0, 2)).toEqual([
      ['1', 0],
      ['1', 0],
    ]);
    expect(groups.slice(2).map(([group]) => group)).toEqual(['0', '0']);

    // nothing is known of updates: the rewards stand for them, and the answer says so
    const { body } = await call(
      url,
      adminKey,
      'GET',
      `/api/v1/alerts/${id}/examples?rule=update-drift&size=1`,
    );
    expect(body).toMatchObject({
      rule: 'update-drift',
      quantity: 'reward',
      order: 'least',
      examples: [{ value: 0.3 }],
    });
    await client.dispose();
  });
});
