/** @file How every route of REST is asked for somebody else's things: its address, its query, its body. */
import { canary, type World } from './leak-world.js';

/** Writes the address of a route that points at somebody else’s things. */
export function fill(path: string, world: World): string {
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/\/runs\//, world.run],
    [/\/jobs\//, world.job],
    [/\/alerts\//, world.alert],
    [/\/keys\//, world.key],
    [/\/rating-sets\//, world.ratingSet],
    [/\/workers\//, world.worker],
  ];
  return path.replace(/\{(\w+)\}|\*/g, (hole, name: string | undefined) => {
    if (name === 'id') {
      const id = kinds.find(([pattern]) => pattern.test(path))?.[1];
      if (id !== undefined) return id;
    }
    if (name === 'name') return world.launched;
    if (name === 'jobId') return world.job;
    if (name === 'commentId') return world.comment;
    if (name === 'position') return '0';
    if (name === 'file') return 'metrics.csv';
    if (name === 'path' || hole === '*') return path.includes('trajector') ? world.trajectory : world.file;
    throw new Error(`${path}: no recipe for ${hole}; add one to rest-recipes.ts`);
  });
}

/** Bodies that would do something if the caller might. */
export function bodyOf(path: string, world: World): unknown {
  if (path.endsWith('/chats')) return { step: 0 };
  if (path.endsWith('/reply')) return { message: 'changed' };
  if (path.endsWith('/priority')) return { priority: 7 };
  if (/\/(fork|fork\/plan|evaluate)$/.test(path)) return { step: 0 };
  if (path.endsWith('/runs') || path.endsWith('/plan')) return { project: 'theirs', source: 'steps: 1' };
  if (path.endsWith('/import/events')) {
    const event = { kind: 'log', time: 1, text: 'changed' };
    return { attempt: 1, events: [{ sequence: 1, event }] };
  }
  if (path.endsWith('/import/end')) {
    const files = { count: 0, bytes: 0, sha256: 'a'.repeat(64) };
    return { state: 'finished', endedAt: 1, events: [1], files };
  }
  if (/\/comments(\/|$)/.test(path)) return { text: 'changed' };
  if (path.endsWith('/rating-sets')) return { kind: 'rubric', sources: [{ runId: world.run }] };
  if (path.endsWith('/rating')) return { choice: 'tie' };
  if (path.endsWith('/alerts/acknowledge')) return { alertIds: [world.alert] };
  if (path.endsWith('/verdict')) return { judgement: 'unclear' };
  if (path.endsWith('/tickets')) return { purpose: 'stream' };
  if (path.endsWith('/runs/bulk')) return { action: 'tag', runIds: [world.run], addTags: ['changed'] };
  if (path.endsWith('/runs/{id}')) return { note: 'changed', tags: ['changed'] };
  return {};
}

/** Parameters of the query that could point at somebody else's things. */
export function queryOf(operation: unknown, world: World): string {
  const { parameters = [] } = operation as { parameters?: { name: string; in: string }[] };
  const values: Record<string, string> = {
    runId: world.run,
    runIds: world.run,
    ids: world.run,
    against: world.run,
    run: world.run,
    project: 'theirs',
    names: `policy/${canary}`,
    metrics: `policy/${canary}`,
    name: `policy/${canary}`,
  };
  const given = parameters.flatMap(({ name, in: place }) => {
    const value = place === 'query' ? values[name] : undefined;
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}
