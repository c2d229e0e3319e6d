import { describeHostile } from './describe-hostile.js';

describeHostile('SQLite', 0, () => Promise.resolve({ settings: {}, close: () => Promise.resolve() }));
