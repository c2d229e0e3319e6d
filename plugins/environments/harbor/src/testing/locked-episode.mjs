/**
 * @file An episode whose commands take permissions away, in a process of its own that they bind: `node locked-episode.mjs TASK`. It needs
 * what the build made, prints what came of each hook as JSON, a line each, and leaves its last sandbox to its end. It is no module of the
 * environment.
 */
import harbor from '../../dist/index.js';

const [task = ''] = process.argv.slice(2);
const tasks = { source: 'folders', train: [task], validation: [task], test: [task] };
const instance = harbor.create(harbor.params.parse({ tasks, prove: false }));
// the first seed of the test split
const seeds = { state: 2_000_000, noise: 0 };
const lock = 'mkdir -p locked half; touch locked/x half/x one; chmod 000 locked one; chmod 444 half /logs';

const call = async (hook, values) => {
  try {
    return await instance[hook](...values);
  } catch (error) {
    return { error: String(error) };
  }
};

for (const [hook, ...values] of [
  ['reset', seeds],
  ['step', lock],
  ['step', 'touch done.txt'],
  ['reset', seeds],
  ['step', lock],
  ['close'],
  ['reset', seeds],
  ['step', lock],
]) {
  const came = await call(hook, values);
  process.stdout.write(`${JSON.stringify({ hook, ...came })}\n`);
}
