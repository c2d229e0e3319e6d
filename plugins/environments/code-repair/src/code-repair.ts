/** @file The environment: a program that fails its tests, and actions that change it. */
import { createStream, type EnvironmentInstance } from '@espalier/plugin-kit';
import { Desk, type RepairOptions, type RepairState } from './desk.js';
import { applyAction, numbered, parseAction, smallestEdit } from './program.js';
import { describeReport, failingTests, passedOf, visibleTests } from './report.js';

/** Creates one player's desk; `reset` gives the task. */
export function createRepair(options: RepairOptions): EnvironmentInstance {
  const desk = new Desk(options);
  return {
    reset: ({ state: seed }) => desk.begin(seed),
    step: (action) => desk.act(action),
    render: () => render(desk),
    oracle: () => (desk.state.isDone ? [] : planOf(desk.state.program, desk.task.solution)),
    sampleAction: (seed) => sampleAction(desk.state.program, desk.task.broken, seed),
    explain: ([action = '']) => {
      const found = parseAction(action);
      if (found === undefined) return 'The program passes its tests.';
      if (found.kind === 'submit') return 'I write the program anew.';
      const { from, to } = found;
      return from === to
        ? `Line ${from} is wrong; I rewrite it.`
        : `Lines ${from} to ${to} are wrong; I rewrite them.`;
    },
    facts: () => factsOf(desk),
    snapshot: () => desk.state,
    restore: (snapshot) => desk.restore(snapshot as RepairState),
    close: () => desk.leave(),
  };
}

function render({ task, state, options }: Desk): string {
  const line = '-'.repeat(40);
  const report = describeReport(task, state.report, options);
  return [task.name, line, ...numbered(state.program), line, ...report].join('\n');
}

function factsOf({ task, state, options }: Desk): Readonly<Record<string, unknown>> {
  const edit = state.isDone ? undefined : smallestEdit(state.program, task.solution);
  const change = edit === undefined ? undefined : parseAction(edit);
  return {
    language: task.language,
    function: task.entry,
    tests: task.tests.length,
    passed: passedOf(state.report),
    visible: visibleTests(task, options),
    failing: failingTests(task, state.report, options),
    faultyLines: change?.kind === 'edit' ? [change.from, change.to] : null,
  };
}

/** One edit where it can be written as one, else the whole solution. */
function planOf(program: string, solution: string): string[] {
  const edit = smallestEdit(program, solution);
  if (edit === undefined) return [];
  const change = parseAction(edit);
  return change !== undefined && applyAction(program, change) === solution ? [edit] : [`submit\n${solution}`];
}

/** A small change of one of the first lines, or back to the first program. */
function sampleAction(program: string, broken: string, seed: number): string {
  const stream = createStream(seed);
  const lines = program.split('\n');
  const line = stream.int(Math.min(lines.length, 4));
  const text = lines[line] ?? '';
  const choice = stream.int(4);
  if (choice === 0) return `submit\n${broken}`;
  if (choice === 1 && line > 0) return `edit ${line + 1}`;
  return `edit ${line + 1}\n${choice === 2 ? text.replace(/\b1\b/, '2') : text.replace('<', '>')}`;
}
