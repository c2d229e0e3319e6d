import { startPostgres } from '@espalier/testing';
import { describeWith } from '../support/service.js';
import { describeHostile } from './describe-hostile.js';

// what is refused before a database is asked is refused alike: of each kind one
describeWith(['postgres'], 'with PostgreSQL', () =>
  describeHostile('PostgreSQL', { salt: 1, share: 64, least: 400 }, async () => {
    const postgres = await startPostgres();
    return {
      settings: { DATABASE__KIND: 'postgres', DATABASE__URL: postgres.url },
      close: () => postgres.stop(),
    };
  }),
);
