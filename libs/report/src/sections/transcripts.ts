/** @file A few trajectories in full: the best and the worst of the newest step, and one from where the health changed. */
import { type Block, code, heading, type Inline, note, type Transcript, withCommas } from '../document.js';
import { formatNumber } from '../numbers.js';
import { formatReference } from '../references.js';
import type { ReportedTrajectory, ReportRun } from '../report-run.js';
import type { Sources } from '../sources.js';
import { newestChange } from './verdicts.js';

/** Runs whose trajectories are shown, at most: a report of a sweep stays readable. */
const maxRuns = 8;
/** Characters of a text that are shown. */
const maxCharacters = 4000;

interface Chosen {
  readonly why: string;
  readonly trajectory: ReportedTrajectory;
}

/** A trajectory that notes cite. */
export interface CitedTrajectory {
  readonly run: ReportRun;
  readonly trajectory: ReportedTrajectory;
}

/** Chooses trajectories and writes them out. @throws AppError when stored ones cannot be read */
export async function describeTranscripts(
  runs: readonly ReportRun[],
  cited: readonly CitedTrajectory[],
  sources: Sources,
): Promise<Block[]> {
  const blocks: Block[] = [];
  const shown = new Set<string>();
  const show = (run: ReportRun, { why, trajectory }: Chosen): void => {
    const id = placeOf(run.key, trajectory.id);
    if (shown.has(id)) return;
    shown.add(id);
    blocks.push(transcribe(run, why, trajectory, sources));
  };
  for (const { run, trajectory } of cited) show(run, { why: 'cited in the notes', trajectory });
  for (const run of runs.slice(0, maxRuns))
    for (const chosen of await chooseTrajectories(run)) show(run, chosen);
  const without = runs.filter(({ trajectorySteps }) => trajectorySteps.length === 0);
  return [
    heading(2, 'What the agent did', 'transcripts'),
    note(
      'Of each run the best and the worst training trajectory of the newest stored step by total reward, and the worst of the step at which the collapse monitor last changed its health.',
      ...(runs.length > maxRuns ? [` Of ${runs.length} runs, the first ${maxRuns} are shown.`] : []),
      ...(without.length === 0
        ? []
        : [` No trajectories are stored of ${without.map(({ key }) => key).join(', ')}.`]),
    ),
    ...blocks,
  ];
}

/** Where a report shows a trajectory, or a turn of it. */
export const placeOf = (run: string, id: string, turn?: number): string =>
  `t-${run}-${id.replaceAll(/[^a-zA-Z0-9]+/g, '-')}${turn === undefined ? '' : `-turn-${turn + 1}`}`;

async function chooseTrajectories(run: ReportRun): Promise<Chosen[]> {
  const newest = await newestTraining(run);
  const change = newestChange(run);
  const chosen: Chosen[] = [];
  const [best, worst] = extremesOf(newest.trajectories);
  if (best !== undefined) chosen.push({ why: `the best of step ${newest.step}`, trajectory: best });
  if (worst !== undefined && worst !== best)
    chosen.push({ why: `the worst of step ${newest.step}`, trajectory: worst });
  if (change !== undefined && run.trajectorySteps.includes(change.step)) {
    const [, then] = extremesOf(trainingOf(await run.readTrajectories(change.step)));
    if (then !== undefined)
      chosen.push({
        why: `the worst of step ${change.step}, when its health became ${change.state}`,
        trajectory: then,
      });
  }
  return chosen;
}

const trainingOf = (all: readonly ReportedTrajectory[]): ReportedTrajectory[] =>
  all.filter(
    ({ split, error, update }) =>
      split === 'train' && error === undefined && update?.outcome !== 'greedy-baseline',
  );

/** The newest step with training trajectories; the newest of all may hold a validation only. */
async function newestTraining(run: ReportRun): Promise<{ step: number; trajectories: ReportedTrajectory[] }> {
  for (const step of run.trajectorySteps.toReversed().slice(0, 3)) {
    const trajectories = trainingOf(await run.readTrajectories(step));
    if (trajectories.length > 0) return { step, trajectories };
  }
  return { step: 0, trajectories: [] };
}

/** The first with the highest total, and the first with the lowest; both the same when all are equal. */
function extremesOf(all: readonly ReportedTrajectory[]): (ReportedTrajectory | undefined)[] {
  const [first] = all;
  if (first === undefined) return [undefined, undefined];
  let [best, worst] = [first, first];
  for (const one of all) {
    if (one.score.total > best.score.total) best = one;
    if (one.score.total < worst.score.total) worst = one;
  }
  return [best, worst];
}

function transcribe(run: ReportRun, why: string, trajectory: ReportedTrajectory, sources: Sources): Block {
  const { id, score, success, stopReason, labels, dropped, turns } = trajectory;
  const target = { kind: 'trajectory', id } as const;
  const outcome = `${success ? 'success' : 'no success'}, reward ${formatNumber(score.total)}, ended by ${stopReason}`;
  const part = {
    reference: formatReference({ run: run.key, target }),
    value: score.total,
    text: outcome,
    where: `trajectories, step ${trajectory.step}`,
  };
  const title: Inline[] = [
    code(run.key),
    ` ${why}: ${outcome}`,
    ...(labels.length === 0 ? [] : [', labelled ', ...withCommas(labels.map(labelBadge))]),
    ...(dropped === undefined
      ? []
      : [{ kind: 'muted', text: `, dropped with its group: ${dropped.reason}` } as const]),
  ];
  const transcript: Transcript = {
    id: placeOf(run.key, id),
    title,
    about: ['Trajectory ', sources.citeTrajectory(id, part, placeOf(run.key, id)), '.'],
    turns: turns.map((turn) => ({
      id: placeOf(run.key, id, turn.index),
      number: turn.index + 1,
      picture: turn.image,
      state: cutText(turn.render === '' ? turn.observation : turn.render),
      response: cutText(turn.response),
      actions: turn.actions.map((action) => action.text),
      outcome: `reward ${formatNumber(turn.reward)}${turn.formatValid ? '' : ', invalid format'}`,
    })),
  };
  return { kind: 'transcript', transcript };
}

const labelBadge = ({ name, turn }: ReportedTrajectory['labels'][number]): Inline => ({
  kind: 'badge',
  text: `${name} (turn ${turn + 1})`,
  tone: 'warn',
});

function cutText(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters are stored with the run`;
}
