/** @file What a new run would be, as `--dry-run` shows it: from a configuration, or from a checkpoint. */
import type { RunPlan } from '@espalier/client';
import type { RunSpec } from '@espalier/contracts';
import type { NewRunOptions } from '../commands/run-create.command.js';
import { clean, type Console } from '../console.js';
import { plannedLevelLines } from '../view/level-lines.js';
import { calledAs } from '../parse-arguments.js';

/** Prints a plan: the given options, what follows from them, and warnings. */
export function printPlan(plan: RunPlan, options: NewRunOptions, console: Console): void {
  if (options.json === true) return console.line(JSON.stringify(plan));
  const { bold, dim, yellow } = console.colors;
  const isFork = plan.parentRunId !== null;
  console.line(
    bold(`run ${clean(plan.name)}`) + dim(`  project ${plan.project}, sha256 ${plan.specHash.slice(0, 12)}…`),
  );
  if (isFork) {
    console.line(`  begins from: step ${plan.parentStep} of ${plan.parentRunId}, ${plan.forkPath}`);
    const taken = plan.continues ? 'weights, moments, critic, counters, monitor' : 'the weights only';
    console.line(`  takes: ${taken}`);
  }
  for (const [label, value] of describeLabels(options, plan)) console.line(`  ${label}: ${clean(value)}`);
  const changes = isFork ? listDifferences(plan) : listGiven(plan);
  for (const [change, source] of changes) console.line(`  ${clean(change)}  ${dim(source)}`);
  if (isFork && changes.length === 0) console.line('  the options of its parent, all of them');
  console.line(`  steps = ${plan.steps}`);
  for (const { tag, groups, share } of plan.derived.tags ?? [])
    console.line(`  ${clean(tag)}: ${groups} groups of a step, ${(100 * share).toFixed(1)} %`);
  for (const line of plannedLevelLines(plan.spec as unknown as RunSpec)) console.line(clean(line));
  for (const { path, reason, set } of plan.inert)
    if (set) console.line(yellow(`  ${path} changes nothing here: ${reason}`));
  for (const warning of plan.warnings) console.line(yellow(`  ${clean(warning)}`));
  const cost = isFork ? '' : `, cost: ${calledAs()} plan`;
  console.line(dim(`nothing was created; all options: --json${cost}`));
}

/** The options that are not part of the spec. */
function describeLabels({ tag, group, priority, note }: NewRunOptions, plan: RunPlan): [string, string][] {
  return [
    ...(tag.length === 0 ? [] : [['tags', tag.join(', ')] as [string, string]]),
    ...(priority === undefined ? [] : [['priority', String(priority)] as [string, string]]),
    ...(group === undefined ? [] : [['group', group] as [string, string]]),
    ...(note === undefined ? [] : [['note', note] as [string, string]]),
    ['needs', describeNeeds(plan.needs)],
  ];
}

function describeNeeds({ kind, count, memoryMb, labels }: RunPlan['needs']): string {
  const device = kind === 'gpu' ? 'GPU' : 'CPU slot';
  const devices = count === 1 ? `one ${device}` : `${count} ${device}s of one worker`;
  const room = memoryMb === 0 ? '' : `, ${memoryMb} MiB free`;
  return `${devices}${room}${labels.length === 0 ? '' : `, labels ${labels.join(', ')}`}`;
}

/** What was written, not what follows from it. */
function listGiven({ spec, sources }: RunPlan): [string, string][] {
  return sources
    .filter(({ source }) => source === 'file' || source === '--set')
    .map(({ path, source }) => [`${path} = ${JSON.stringify(valueAt(spec, path))}`, source]);
}

function listDifferences({ differences }: RunPlan): [string, string][] {
  return differences.map(({ path, values: [before, now] }) => [
    `${path} = ${JSON.stringify(now)}`,
    `of its parent: ${JSON.stringify(before)}`,
  ]);
}

function valueAt(spec: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], spec);
}
