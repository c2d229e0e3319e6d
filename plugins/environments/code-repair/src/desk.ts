/** @file One player's desk: the task, the program as it is now, and what its tests say. */
import { data, type Observation, type StepResult } from '@espalier/plugin-kit';
import { type KnownTask, openTasks, type TaskSource } from './library.js';
import { applyAction, maxProgram, numbered, parseAction } from './program.js';
import { describeReport, passedOf, type Report, type Showing } from './report.js';
import { type Limits, pool } from './sandbox/pool.js';
import { startOf, test } from './workbench.js';

export interface RepairOptions extends Showing {
  readonly tasks: TaskSource;
  readonly limits: Limits;
  /** `progress`: by how much the most tests that passed at once grow, as a share of those that failed; `solved`: 1 at the end */
  readonly reward: 'progress' | 'solved';
}

export interface RepairState {
  readonly seed: number;
  readonly program: string;
  readonly report: Report;
  /** tests that the broken program passes, and the most that passed since */
  readonly start: number;
  readonly best: number;
  readonly isDone: boolean;
}

const names = { python: 'Python', javascript: 'JavaScript' };

export class Desk {
  private known: KnownTask | undefined;
  private now: RepairState | undefined;
  private isEntered = false;

  constructor(readonly options: RepairOptions) {}

  get task(): KnownTask['task'] {
    if (this.known === undefined) throw new Error('reset was not called');
    return this.known.task;
  }

  get state(): RepairState {
    if (this.now === undefined) throw new Error('reset was not called');
    return this.now;
  }

  async begin(seed: number): Promise<Observation> {
    this.enter();
    this.known = data.taskOfSeed(openTasks(this.options.tasks), seed);
    const report = await startOf(this.known, this.options);
    const start = passedOf(report);
    this.now = { seed, program: this.known.task.broken, report, start, best: start, isDone: false };
    return this.observe();
  }

  restore(state: RepairState): void {
    this.enter();
    this.known = data.taskOfSeed(openTasks(this.options.tasks), state.seed);
    this.now = state;
  }

  /** Lets the sandboxes go, if this was the last that may use them. */
  async leave(): Promise<void> {
    if (this.isEntered) await pool.leave();
    this.isEntered = false;
  }

  observe(): Observation {
    const { task, state } = this;
    const text = [
      `${task.entry}, in ${names[task.language]}:`,
      ...numbered(state.program),
      ...(task.text === '' ? [] : ['', task.text]),
      '',
      ...describeReport(task, state.report, this.options),
    ].join('\n');
    return { text, stateKey: text };
  }

  async act(action: string): Promise<StepResult> {
    const { task, state: before } = this;
    const change = before.isDone ? undefined : parseAction(action);
    const program = change && applyAction(before.program, change);
    // what does not name the function cannot define it, and needs no interpreter to say so
    if (program === undefined || program.length > maxProgram || !program.includes(task.entry))
      return this.unchanged(false);
    if (program === before.program) return this.unchanged(true);
    this.enter();
    const { stateKey } = this.observe();
    const report = await test(task, program, this.options);
    const passed = passedOf(report);
    const total = task.tests.length;
    const isDone = passed === total;
    const best = Math.max(before.best, passed);
    this.now = { ...before, program, report, best, isDone };
    const gained = (best - before.best) / (total - before.start);
    const observation = this.observe();
    return {
      observation,
      reward: this.options.reward === 'solved' ? Number(isDone) : gained,
      done: isDone,
      success: isDone,
      valid: true,
      effective: observation.stateKey !== stateKey,
      metrics: {
        tests_passed: passed / total,
        cut_off: Number(report.isCutOff),
        unusable: Number(report.unloaded !== undefined),
      },
    };
  }

  private unchanged(valid: boolean): StepResult {
    const done = this.state.isDone;
    return { observation: this.observe(), reward: 0, done, success: false, valid, effective: false };
  }

  private enter(): void {
    if (!this.isEntered) pool.enter();
    this.isEntered = true;
  }
}
