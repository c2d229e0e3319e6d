/** Writes generated levels, as facts of ALFWorld's domain with a plan each, for make_transcripts.py: node write-levels.mjs > levels.json */
import { write, act } from '../../../plugins/environments/household/dist/commands.js';
import { generateLevel } from '../../../plugins/environments/household/dist/generate.js';
import { planSearch } from '../../../plugins/environments/household/dist/planner.js';
import { taskTypes } from '../../../plugins/environments/household/dist/task.js';

const rooms = ['kitchen', 'living room', 'bedroom', 'bathroom'];
const levels = [];
for (const type of taskTypes)
  for (const [seed, limits] of [
    [7, { receptacles: 7, things: 12 }],
    [11, {}],
  ]) {
    const options = { tasks: [type], rooms, floorPlans: 'all', copies: 3, ...limits };
    const { house, start, task, sentence, facts } = generateLevel(seed, options, 50, 'train');
    let state = start;
    const plan = [];
    for (const action of planSearch(house, start, task, 200)) {
      plan.push(write(house, action));
      state = act(house, state, action);
    }
    levels.push({ task, sentence, facts: facts.map(({ name, args }) => [name, ...args]), plan });
  }
process.stdout.write(JSON.stringify(levels));
