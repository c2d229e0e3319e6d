/**
 * @file How every field of the schema is asked for somebody else's things. An argument that has no recipe here fails
 * the test of leaks, so that a new one must be thought about.
 */
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { canary, type World } from './leak-world.js';

/** Values of arguments by name; those of `id` follow from the field. */
export function valueOf(field: string, name: string, world: World): unknown {
  const recipes: Record<string, unknown> = {
    runId: world.run,
    jobId: world.job,
    workerId: world.worker,
    ids: [world.run],
    runIds: [world.run],
    runs: [{ runId: world.run }],
    project: 'theirs',
    names: [`policy/${canary}`],
    metrics: [`policy/${canary}`],
    first: 50,
    after: undefined,
    open: undefined,
    since: undefined,
    orderBy: undefined,
    before: undefined,
    kind: undefined,
    kinds: undefined,
    prefix: '',
    fromStep: undefined,
    toStep: undefined,
    points: 100,
    digits: 7,
    ranges: 10,
    limit: 10,
    launcher: undefined,
    ended: true,
    turn: 0,
    against: [world.run],
    by: ['algorithm.use'],
    axis: 'STEP',
    actions: [],
    environment: { use: 'bandit' },
    seed: 1,
    noiseSeed: undefined,
    setId: world.ratingSet,
    position: 0,
    sample: { size: 3 },
    alertId: world.alert,
    examples: { size: 3 },
    ledger: true,
  };
  // of lists only one of both
  if (name === 'last') return field === 'compareRuns' ? 10 : undefined;
  if (name === 'id') return idOf(field, world);
  if (name === 'ids' && /trajector/i.test(field)) return [world.trajectory];
  if (name === 'input') return inputOf(field, world);
  if (name === 'filter') return filterOf(field, world);
  if (!(name in recipes))
    throw new Error(`${field}: no recipe for the argument ${name}; add one to leak-recipes.ts`);
  return recipes[name];
}

/** Whether an argument names a thing of one project. */
const pointing = new Set(['id', 'runId', 'jobId', 'ids', 'against', 'runIds', 'runs', 'setId', 'alertId']);

function idOf(field: string, world: World): string {
  if (/job/i.test(field)) return world.job;
  if (/alert/i.test(field)) return world.alert;
  if (/rating/i.test(field)) return world.ratingSet;
  if (/key/i.test(field)) return world.key;
  if (/worker/i.test(field)) return world.worker;
  if (/trajectory/i.test(field)) return world.trajectory;
  if (/run/i.test(field)) return world.run;
  throw new Error(`${field}: no recipe for its id; add one to leak-recipes.ts`);
}

/** Filters that point at `theirs` and let everything there through. */
function filterOf(field: string, world: World): unknown {
  const filters: Record<string, unknown> = {
    alertCounts: { project: 'theirs', runId: world.run },
    alerts: { project: 'theirs', runId: world.run },
    auditLog: { subject: world.run },
    comments: {},
    jobs: { project: 'theirs', runId: world.run },
    ratingSets: { project: 'theirs', open: true },
    runEventCounts: { fromStep: 0 },
    runEvents: { kinds: ['WARNING', 'STATE', 'NOTE'] },
    runLogs: { text: canary },
    runs: { ids: [world.run], project: 'theirs', tag: canary, text: canary },
    trajectories: { runIds: [world.run], project: 'theirs', environment: canary, split: 'TRAIN' },
    trajectoryCounts: { environment: canary, split: 'TRAIN' },
  };
  if (!(field in filters)) throw new Error(`${field}: no recipe for its filter; add one to leak-recipes.ts`);
  return filters[field];
}

function inputOf(field: string, world: World): unknown {
  const inputs: Record<string, unknown> = {
    bulkRuns: { action: 'TAG', runIds: [world.run], addTags: ['changed'] },
    createKey: { name: 'mine', role: 'VIEWER', projects: ['theirs'] },
    createTicket: { purpose: 'DOWNLOAD', path: `/api/v1/runs/${world.run}/artifacts/spec.json` },
    createRun: { project: 'theirs', source: 'steps: 1' },
    planRun: { project: 'theirs', source: 'steps: 1', estimate: false },
    pauseRun: { runId: world.run },
    resumeRun: { runId: world.run, acceptPlugins: true },
    cancelRun: { runId: world.run, now: true },
    cancelEvaluation: { runId: world.run, jobId: world.job, now: true },
    deleteRun: { runId: world.run },
    forkRun: { runId: world.run, step: 0 },
    planFork: { runId: world.run, step: 0 },
    editRun: { runId: world.run, title: 'changed', note: 'changed', tags: ['changed'], priority: 7 },
    evaluateRun: { runId: world.run, step: 0 },
    showView: { path: `/runs/${world.run}` },
    startChat: { runId: world.run, step: 0 },
    endChat: { runId: world.run, jobId: world.job },
    addRunComment: { runId: world.run, text: 'changed' },
    deleteRunComment: { runId: world.run, commentId: world.comment },
    editRunComment: { runId: world.run, commentId: world.comment, text: 'changed' },
    judgeAlert: { alertId: world.alert, judgement: 'UNCLEAR' },
    createRatingSet: { kind: 'RUBRIC', sources: [{ runId: world.run }] },
    rateItem: { setId: world.ratingSet, position: 0, choice: 'TIE' },
    undoRating: { setId: world.ratingSet, position: 0 },
    finishRating: { setId: world.ratingSet },
    closeRatingSet: { setId: world.ratingSet },
    deleteRatingSet: { setId: world.ratingSet },
    acknowledgeAlert: { alertId: world.alert },
    acknowledgeAlerts: { alertIds: [world.alert] },
    assignAlert: { alertId: world.alert },
    revokeKey: { keyId: world.key },
    rotateKey: { keyId: world.key },
    drainWorker: { workerId: world.worker },
    undrainWorker: { workerId: world.worker },
    stopLaunchedWorker: { name: world.launched },
    forgetWorker: { workerId: world.worker },
  };
  if (!(field in inputs)) throw new Error(`${field}: no recipe for its input; add one to leak-recipes.ts`);
  return inputs[field];
}

/** Writes an operation for a field with its arguments and all it can show, so many levels deep. */
export function writeOperation(
  schema: GraphQLSchema,
  kind: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
  world: World,
  onlyRequired: boolean,
  depth = 3,
): { query: string; variables: Record<string, unknown>; isPointing: boolean } {
  const args = field.args.filter((arg) => isRequiredArgument(arg) || !onlyRequired);
  const given = args
    .map((arg): [GraphQLArgument, unknown] => [arg, valueOf(field.name, arg.name, world)])
    .filter(([arg, value]) => value !== undefined || isRequiredArgument(arg));
  const declared = given.map(([arg]) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = given.map(([arg]) => `${arg.name}: $${arg.name}`).join(', ');
  const head = declared === '' ? kind : `${kind} (${declared})`;
  const call = passed === '' ? field.name : `${field.name}(${passed})`;
  return {
    query: `${head} { ${call} ${selectionOf(schema, field.type, depth)} }`,
    variables: Object.fromEntries(given.map(([arg, value]) => [arg.name, value])),
    isPointing: given.some(([arg]) => pointing.has(arg.name)),
  };
}

function selectionOf(schema: GraphQLSchema, output: GraphQLOutputType, depth: number): string {
  const type = getNamedType(output);
  if (isUnionType(type))
    return `{ __typename ${type
      .getTypes()
      .map((member) => `... on ${member.name} ${aliased(selectionOf(schema, member, depth), member.name)}`)
      .join(' ')} }`;
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
  const shown = fields.flatMap((field) => {
    const inside = depth > 1 ? selectionOf(schema, field.type, depth - 1) : '';
    const isLeaf = !isObjectType(getNamedType(field.type)) && !isUnionType(getNamedType(field.type));
    if (isLeaf) return [field.name];
    return inside !== '' ? [`${field.name} ${inside}`] : [];
  });
  return `{ __typename ${shown.join(' ')} }`;
}

/** Members of a union may have fields of one name and different types. */
function aliased(selection: string, member: string): string {
  let depth = 0;
  return selection.replace(/[{}]|\w+/g, (piece) => {
    if (piece === '{') depth += 1;
    if (piece === '}') depth -= 1;
    return depth === 1 && /^[a-z]/.test(piece) ? `${member}_${piece}: ${piece}` : piece;
  });
}
