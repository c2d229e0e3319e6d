import { describeHostile } from './describe-hostile.js';

describeHostile('SQLite', { salt: 0, share: 16, least: 500 }, () =>
  Promise.resolve({ settings: {}, close: () => Promise.resolve() }),
);
