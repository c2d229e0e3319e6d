import { describeHostile } from './describe-hostile.js';

describeHostile('SQLite', () => Promise.resolve({ settings: {}, close: () => Promise.resolve() }));
