/** @file The environment: a user, tools over the data of a shop, and a check of both at the end. */
import { createStream, type EnvironmentInstance } from '@espalier/plugin-kit';
import { planOf, writeCall } from './plan.js';
import { type RetailOptions, Session, type State } from './session.js';

/** Creates one conversation; `reset` gives it a task. */
export function createRetail(options: RetailOptions): EnvironmentInstance {
  const session = new Session(options);
  return {
    reset: ({ state: seed }) => session.begin(seed),
    step: (action) => session.act(action),
    render: () => session.state.output,
    oracle: () => planOf(session.state, session.shop),
    sampleAction: (seed) => sampleAction(session, seed),
    explain: ([action = '']) => {
      if (action.startsWith('say What') || action.startsWith('say Is')) return 'I ask the user.';
      if (action.startsWith('say')) return 'I tell the user what was asked for.';
      return action === 'done' ? 'All is done.' : `I call ${action.split(' ')[0] ?? ''}.`;
    },
    facts: () => factsOf(session.state),
    snapshot: () => session.state,
    restore: (snapshot) => {
      session.state = snapshot as State;
    },
  };
}

function factsOf({ task, tells, told, hash, turn }: State): Readonly<Record<string, unknown>> {
  return {
    task: task.name,
    user: task.user,
    reference: task.calls.map(writeCall),
    outputs: [...task.outputs],
    told: told.outputs.map((number) => task.outputs[number]),
    asked: tells.length,
    sentences: task.sentences.length,
    isChanged: hash !== '',
    isGoal: hash === task.hashes.at(-1),
    turn,
  };
}

const questions = [
  'What is your name?',
  'How may I help you?',
  'Is there anything else?',
  'Which order is it?',
  'Do you confirm that?',
] as const;

/** A question, or a look-up of something that the shop has. */
function sampleAction({ shop, state }: Session, seed: number): string {
  const stream = createStream(seed);
  const choice = stream.int(6);
  if (choice < 2) return `say ${stream.pick(questions)}`;
  if (choice === 2) return 'list_all_product_types {}';
  if (choice === 3)
    return writeCall({ name: 'calculate', arguments: { expression: `${stream.int(100)} + 1.5` } });
  if (choice === 4 && shop.users.has(state.task.user))
    return writeCall({ name: 'get_user_details', arguments: { user_id: state.task.user } });
  const id = stream.pick([...shop.products.keys()]);
  return writeCall({ name: 'get_product_details', arguments: { product_id: id } });
}
