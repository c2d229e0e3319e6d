/** @file Reads folders of tasks, and finds which of them this sandbox can play. */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { AppError, data } from '@espalier/plugin-kit';
import { systemFolders } from '../sandbox/sandbox.js';
import { type Dockerfile, parseDockerfile } from './dockerfile.js';
import { parseTaskConfig, resolveVariables, type TaskConfig } from './task-config.js';
import { type Task, workdirOf } from './task.js';

export interface TaskSource {
  readonly train: readonly string[];
  readonly validation?: readonly string[] | undefined;
  readonly test?: readonly string[] | undefined;
  readonly unsupported: 'refuse' | 'skip';
  readonly installs: 'refuse' | 'assume';
  readonly network: boolean;
}

/** Tasks that are named in an error. */
const named = 5;

/** The tasks of each split. @throws plugin.failed where one cannot be played */
export function readTasks(source: TaskSource): data.TaskSplits<Task> {
  const [train, validation, test] = [source.train, source.validation, source.test].map((folders) =>
    folders === undefined ? undefined : playable(folders.flatMap(findTasks), source),
  );
  const splits = data.splitTasks(train ?? [], keyOf, test);
  if (validation === undefined) return splits;
  const keysOf = (tasks: readonly Task[]): ReadonlySet<string> => new Set(tasks.map(keyOf));
  const validated = keysOf(validation);
  // folders that are named decide, so nothing else is held out
  const tested = test ?? splits.test.filter((task) => !validated.has(keyOf(task)));
  const held = keysOf(tested);
  return {
    train: (train ?? []).filter((task) => !validated.has(keyOf(task)) && !held.has(keyOf(task))),
    validation: validation.filter((task) => !held.has(keyOf(task))),
    test: tested,
  };
}

/** What a task is known by; as where tasks are held out, case and white space do not matter. */
const keyOf = ({ name }: Task): string => name.toLowerCase().replace(/\s+/g, ' ').trim();

/** A task folder itself, or the tasks within a folder. */
function findTasks(given: string): string[] {
  const folder = resolve(given);
  const fail = (finding: string): AppError => data.invalidData(given, 'start', finding);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw fail('there is no such folder; name one with tasks of Harbor');
  if (existsSync(join(folder, 'task.toml'))) return [folder];
  const found = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((inner) => existsSync(join(inner, 'task.toml')));
  if (found.length === 0) throw fail('neither it nor a folder in it has a task.toml; name a folder of tasks');
  return found;
}

function playable(folders: readonly string[], source: TaskSource): Task[] {
  const tasks: Task[] = [];
  const obstacles: string[] = [];
  for (const folder of folders) {
    const task = readTask(folder, source);
    if (!Array.isArray(task)) tasks.push(task as Task);
    else obstacles.push(`${basename(folder)} (${task.join('; ')})`);
  }
  const finding = `${obstacles.length} of ${folders.length} tasks cannot be played: ${obstacles.slice(0, named).join(', ')}${obstacles.length > named ? ', …' : ''}`;
  if (obstacles.length > 0 && (source.unsupported === 'refuse' || tasks.length === 0))
    throw new AppError(
      'plugin.failed',
      `read tasks of Harbor: ${finding}; there are no containers here: choose other tasks${obstacles.some((one) => one.includes('gets software')) ? ', or set `installs: assume` where this machine has the packages' : ''}${tasks.length > 0 ? ', or leave these out with `unsupported: skip`' : ''}`,
      { details: { obstacles } },
    );
  return tasks;
}

/** A task, or what stands in its way. */
export function readTask(folder: string, source: Pick<TaskSource, 'installs' | 'network'>): Task | string[] {
  const read = (path: string): string | undefined =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  const config = parseTaskConfig(read('task.toml') ?? '');
  if (typeof config === 'string') return [`task.toml: ${config}`];
  const dockerfile = read('environment/Dockerfile');
  const build = parseDockerfile(dockerfile ?? '', source.installs);
  const instruction = read('instruction.md');
  const resolved = {
    environment: resolveVariables(config.environment.env, process.env),
    verifier: resolveVariables(config.verifier.env, process.env),
    solution: resolveVariables(config.solution.env, process.env),
  };
  const missing = Object.values(resolved).flatMap((part) => part.missing);
  const script = read('solution/solve.sh');
  const task: Task = {
    name: config.task?.name ?? basename(folder),
    folder,
    instruction: stripCanary(instruction ?? ''),
    config,
    build,
    variables: {
      environment: resolved.environment.values,
      verifier: resolved.verifier.values,
      solution: resolved.solution.values,
    },
    hasSolution: script !== undefined,
    script: script !== undefined && readdirSync(join(folder, 'solution')).length === 1 ? script : undefined,
  };
  const obstacles = [
    ...(instruction === undefined && config.steps === undefined ? ['it has no instruction.md'] : []),
    ...(read('tests/test.sh') === undefined && config.steps === undefined ? ['it has no tests/test.sh'] : []),
    ...(missing.length > 0 ? [`this machine has no variable ${missing.join(', ')}`] : []),
    ...(dockerfile === undefined && config.environment.docker_image !== undefined
      ? [`it needs the image ${config.environment.docker_image}`]
      : []),
    ...needsOf(config, source.network),
    ...(['docker-compose.yaml', 'docker-compose.yml'].some((name) =>
      existsSync(join(folder, 'environment', name)),
    )
      ? ['it needs services of Docker Compose']
      : []),
    ...(existsSync(join(folder, 'environment', '.dockerignore')) ? ['it has a .dockerignore'] : []),
    ...build.obstacles,
    ...misplaced(task, build),
  ];
  return obstacles.length > 0 ? obstacles : task;
}

/** What a configuration asks for that only containers give. */
function needsOf({ environment, agent, verifier, steps }: TaskConfig, hasNetwork: boolean): string[] {
  const isRoot = (user: string | number | undefined): boolean => [undefined, 0, '0', 'root'].includes(user);
  const modes = [environment, agent, verifier].map((part) => part.network_mode);
  return [
    ...(environment.os === 'windows' ? ['it needs Windows'] : []),
    ...(environment.gpus !== undefined && environment.gpus > 0 ? ['it needs a GPU'] : []),
    ...(environment.tpu === undefined ? [] : ['it needs a TPU']),
    ...(environment.mcp_servers.length > 0 ? ['it needs MCP servers'] : []),
    ...(environment.healthcheck === undefined ? [] : ['it needs a service (healthcheck)']),
    ...(steps === undefined || steps.length === 0 ? [] : ['it has several steps']),
    ...(verifier.environment !== undefined || verifier.environment_mode === 'separate'
      ? ['its tests need a container of their own']
      : []),
    ...(verifier.collect.length > 0 ? ['it collects from services'] : []),
    ...(isRoot(agent.user) && isRoot(verifier.user) ? [] : ['it needs a user other than root']),
    ...(hasNetwork && modes.some((mode) => mode !== undefined && mode !== 'public')
      ? ['it restricts the network, which `network: true` would not']
      : []),
  ];
}

/** Files and folders that would go where the machine's own are, and sources that are not there. */
function misplaced(task: Task, { steps }: Dockerfile): string[] {
  const isSystem = (path: string): boolean => systemFolders.has(path.split('/')[1] ?? '');
  const writes = [workdirOf(task), ...steps.flatMap((step) => (step.kind === 'folder' ? [step.path] : []))];
  const found = writes.filter(isSystem).map((path) => `it works in ${path}`);
  const root = join(task.folder, 'environment');
  const folders = new Set(writes);
  for (const step of steps) {
    if (step.kind !== 'copy') continue;
    const refuse = (why: string): void => void found.push(`Dockerfile:${step.line}: ${why}`);
    if (isSystem(step.target)) refuse(`it copies to ${step.target}`);
    for (const source of step.sources) {
      const path = join(root, source);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!isInside(root, path.replace(/\/$/, '')) || stats === undefined)
        refuse(`there is no ${source} to copy`);
      else if (
        step.target === '/' ||
        (!stats.isDirectory() && isTop(step.target) && !folders.has(step.target))
      )
        refuse('it copies to /');
    }
  }
  return found;
}

const isTop = (path: string): boolean => /^\/[^/]*$/.test(path);

/** Whether a path is a folder, or within it. */
const isInside = (folder: string, path: string): boolean => path === folder || path.startsWith(folder + sep);

/** Leading comments with a canary, and empty lines behind them, are no part of what an agent reads. */
export function stripCanary(text: string): string {
  const lines = text.split('\n');
  let at = 0;
  while (at < lines.length && isCanary(lines[at]!.trim().toLowerCase())) at++;
  while (at < lines.length && lines[at]!.trim() === '') at++;
  return lines.slice(at).join('\n');
}

const isCanary = (line: string): boolean =>
  line.includes('canary') && (line.startsWith('#') || (line.startsWith('<!--') && line.endsWith('-->')));
