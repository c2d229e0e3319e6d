import type { Client, RunDetails } from '@espalier/client';
import type { RunSpec } from '@espalier/contracts';
import { describeAlgorithms, describeEnvironments } from '@espalier/contracts/mixing';
import { describeModelChoice } from '@espalier/contracts/model-choice';
import { excerpt } from '@espalier/protocol';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { displayName, presentAttempt, successOf, timeLeft } from '../remote/run-table.js';
import { examples } from '../examples.js';
import { formatDuration } from '../view/eta.js';
import { percent } from '../view/numbers.js';
import { describeResult } from '../view/evaluation-lines.js';

type Twin = Awaited<ReturnType<Client['runs']['twin']>>;

/** Adds `espalier run show`. */
export function addRunShow(run: Command, context: CommandContext): void {
  withConnection(run.command('show <run>'))
    .description('show one run: where it stands and why, its jobs and attempts')
    .addHelpText(
      'after',
      examples(
        ['run show bandit-starpo-s', 'by its name'],
        ['run show run-01jd3x --json', 'by the beginning of its id, with its whole spec'],
      ),
    )
    .action(async (word: string, options: ConnectOptions) => {
      const client = connect(options);
      const found = await client.runs.get(await findRun(client, word));
      const twin = found.continues ? await client.runs.twin(found.id) : null;
      if (options.json === true) context.console.line(JSON.stringify({ ...found, twin }));
      else print(found, twin, context.console);
    });
}

function print(run: RunDetails, twin: Twin, console: Console): void {
  const { bold, dim } = console.colors;
  console.line(`${bold(clean(displayName(run)))}  ${dim(run.id)}`);
  for (const [label, value] of facts(run, twin))
    if (value !== '') console.line(`  ${label.padEnd(9)} ${sentence(value)}`);
  for (const { id, kind, state, message, whyWaiting, result } of run.jobs) {
    const why = typeof whyWaiting === 'string' && whyWaiting !== '' ? whyWaiting : message;
    console.line(`  ${kind.padEnd(9)} ${state}${why === '' ? '' : `: ${sentence(why)}`}  ${dim(id)}`);
    if (result !== null) console.line(`            ${describeResult(result)}`);
  }
  for (const attempt of run.attempts) {
    const { jobId, number, state, workerName, startStep, step, message } = attempt;
    const does = run.jobs.find(({ id }) => id === jobId)?.kind;
    const kind = does === 'evaluate' ? 'evaluation ' : does === 'chat' ? 'chat ' : '';
    const steps = describeSteps(startStep, step);
    const devices = describeDevices(attempt);
    console.line(
      `  ${kind}attempt ${number} ${state}${steps}, ${workerName || 'no worker'}${devices}${message === '' ? '' : `: ${sentence(message)}`}`,
    );
  }
}

function facts(run: RunDetails, twin: Twin): (readonly [string, string])[] {
  const spec = run.spec as unknown as RunSpec;
  const now = Date.now();
  const left = timeLeft(run, presentAttempt(run), now);
  return [
    ['state', `${run.state}${run.message === '' ? '' : `: ${run.message}`}`],
    ['step', `${run.step ?? 0} of ${run.steps}${left === '' ? '' : `, ${left} left`}`],
    ['success', percent(successOf(run))],
    [
      'learns',
      `${describeEnvironments(spec)} with ${describeAlgorithms(spec)} from ${describeModelChoice(spec.model)}`,
    ],
    ['name', run.title === '' ? '' : run.name],
    ['project', run.project],
    ['tags', run.tags.join(', ')],
    ['group', run.group],
    ['note', run.note],
    ['made', `${formatDuration(now - Date.parse(run.createdAt))} ago with the key "${run.createdBy}"`],
    ['from', describeOrigin(run)],
    ['twin', twin === null ? '' : `${twin.state}: ${twin.message}`],
    ['host', run.host ?? ''],
    ['health', run.health ?? ''],
    ['warnings', run.warnings === 0 ? '' : String(run.warnings)],
  ];
}

function describeOrigin({ parentRunId, parentStep, continues }: RunDetails): string {
  if (parentRunId === null) return '';
  return `${parentRunId}@${String(parentStep)}, ${continues ? 'continued with everything' : 'its weights only'}`;
}

/** What people wrote and processes said, on one line of a bearable length; `--json` has all of it. */
export const sentence = (text: string): string => clean(excerpt(text, 300));

/** The devices of an attempt by their names; by their ids where nothing more is known. */
export function describeDevices({ devices, hardware }: Placed): string {
  const names =
    hardware?.map(({ kind, name, threads, memoryMb }) => {
      const threaded = kind === 'cpu' ? `, ${threads} thread${threads === 1 ? '' : 's'}` : '';
      const memory = memoryMb === null ? 'memory unknown' : `${(memoryMb / 1024).toFixed(1)} GiB`;
      return `${clean(name)} (${memory}${threaded})`;
    }) ?? devices;
  return names.length === 0 ? '' : ` on ${names.join(' and ')}`;
}

type Placed = Pick<RunDetails['attempts'][number], 'devices' | 'hardware'>;

/** Formats which steps an attempt did. @param step the last it finished; up to `startStep`, or null: none */
export function describeSteps(startStep: number | null, step: number | null): string {
  if (startStep === null) return '';
  if (step !== null && step > startStep) return `, from step ${startStep} to ${step}`;
  return startStep === 0 ? ', no step done' : `, no step done after ${startStep}`;
}
