/**
 * @file Checks what roll-backs of the collapse monitor would change: after any row of them the settings must be valid, and the run
 * must need the same models.
 */
import { type RunSpec, runSpecSchema } from '@espalier/contracts';
import { applySettings, changeSettings, readSetting } from '@espalier/contracts/health';
import { countCritics, listAlgorithms } from '@espalier/contracts/mixing';
import { isRecord } from '@espalier/contracts/values';
import type { Finding } from './budgets.js';
import type { ConfigurableAlgorithm } from './registry.js';

/** Lists roll-backs that could not be made. */
export function monitorBudgets(spec: RunSpec, algorithm: ConfigurableAlgorithm): Finding[] {
  const { monitor } = spec;
  if (monitor.every === 0) return [];
  const names = (['onWarning', 'onCollapse'] as const).filter((name) => monitor[name].action === 'rollBack');
  const [first] = names;
  if (first === undefined) return [];
  if (spec.checkpoint.every === 0)
    return [
      [
        `monitor.${first}.action`,
        `monitor.${first}.action rollBack: checkpoint.every is 0, so a run could only return to its start; set checkpoint.every`,
      ],
    ];
  const unknown = names.flatMap((name) =>
    Object.keys(monitor[name].change).flatMap((path): Finding[] =>
      readSetting(spec, path) === undefined ? [[changeOf(name), describeUnknown(name, path)]] : [],
    ),
  );
  const isRead = listAlgorithms(spec).some(({ path }) => path === 'algorithm');
  for (const name of isRead ? [] : names)
    for (const path of Object.keys(monitor[name].change))
      if (path.startsWith('algorithm.')) unknown.push([changeOf(name), describeUnread(name, path)]);
  return unknown.length > 0 ? unknown : findInvalidRow(spec, names, algorithm);
}

type ResponseName = 'onWarning' | 'onCollapse';
const changeOf = (name: ResponseName): string => `monitor.${name}.change`;
const describeUnknown = (name: ResponseName, path: string): string =>
  `${changeOf(name)} ${path}: a roll-back can change numbers of optimizer, criticOptimizer and algorithm, update.epochs, update.miniBatches and filter.value, and this run has no such one; correct the path`;

const describeUnread = (name: ResponseName, path: string): string =>
  `${changeOf(name)} ${path}: every environment has its own algorithm, so nothing reads that of the run; change numbers of optimizer or update, or leave out environments.<tag>.algorithm of a tag that is to learn by algorithm`;

/** Tries every row of roll-backs, as settings that were reached before are not tried again. */
function findInvalidRow(
  spec: RunSpec,
  names: readonly ResponseName[],
  algorithm: ConfigurableAlgorithm,
): Finding[] {
  const { monitor } = spec;
  const known = new Set<string>();
  let reached = [spec];
  for (let count = 1; count <= monitor.maxRollBacks; count += 1) {
    const next: RunSpec[] = [];
    for (const one of reached)
      for (const name of names) {
        const settings = changeSettings(one, monitor[name].change);
        const changed = applySettings(one, settings);
        const key = JSON.stringify([
          changed.optimizer,
          changed.criticOptimizer,
          changed.update,
          changed.filter,
          changed.algorithm,
        ]);
        if (known.has(key)) continue;
        known.add(key);
        const finding = findInvalid(changed, spec, algorithm);
        if (finding !== undefined)
          return [
            [
              changeOf(name),
              `${changeOf(name)}: after ${count} of at most ${monitor.maxRollBacks} roll-backs ${finding}; change less, or lower monitor.maxRollBacks`,
            ],
          ];
        next.push(changed);
      }
    reached = next;
  }
  return [];
}

/** What a spec with changed numbers would be refused for. */
function findInvalid(changed: RunSpec, spec: RunSpec, plugin: ConfigurableAlgorithm): string | undefined {
  const { shape } = runSpecSchema;
  for (const name of ['optimizer', 'criticOptimizer', 'update', 'filter'] as const) {
    const issue = shape[name].safeParse(changed[name]).error?.issues[0];
    if (issue !== undefined) return `${name}.${issue.path.join('.')} is not valid: ${issue.message}`;
  }
  const optionsOf = ({ algorithm: { use: _, ...options } }: RunSpec): Readonly<Record<string, unknown>> =>
    options;
  const checked = plugin.params.safeParse(optionsOf(changed));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return `algorithm.${issue?.path.join('.') ?? ''} is not valid: ${issue?.message ?? ''}`;
  }
  const before = plugin.needs(optionsOf(spec));
  const after = plugin.needs(isRecord(checked.data) ? checked.data : {});
  const [critics, others] = [countCritics([before]), countCritics([after])];
  if (critics !== others || before.reference !== after.reference)
    return `${spec.algorithm.use} needs other models (critics ${others}, reference ${after.reference})`;
  const { greedyBaseline = false } = after;
  if ((before.greedyBaseline ?? false) !== greedyBaseline)
    return `${spec.algorithm.use} needs other rollouts (greedy baseline ${greedyBaseline})`;
  const { rollout, update } = changed;
  const keptShare = plugin.keptShare(optionsOf(changed));
  if (changed.filter !== undefined)
    return keptShare < 1 ? `${spec.algorithm.use} and filter would rank the same groups` : undefined;
  const trajectories = Math.floor(rollout.promptsPerStep * keptShare) * rollout.groupSize;
  if (trajectories === 0) return `${spec.algorithm.use} keeps no group`;
  return spec.environments === undefined && trajectories % update.miniBatches !== 0
    ? `${trajectories} trajectories cannot be split into ${update.miniBatches} mini-batches`
    : undefined;
}
