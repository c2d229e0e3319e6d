import { startPostgres } from '@espalier/testing';
import { describeWith } from '../support/service.js';
import { describeHostile } from './describe-hostile.js';

describeWith(['postgres'], 'with PostgreSQL', () =>
  describeHostile('PostgreSQL', 1, async () => {
    const postgres = await startPostgres();
    return {
      settings: { DATABASE__KIND: 'postgres', DATABASE__URL: postgres.url },
      close: () => postgres.stop(),
    };
  }),
);
