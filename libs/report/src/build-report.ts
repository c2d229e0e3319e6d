/** @file A report on runs, whole: what happened, what is better, why, at what cost, and how to repeat it. */
import type { CurveChart } from './charts/chart.js';
import type { Block } from './document.js';
import { heading, paragraph } from './document.js';
import { hashTrajectory, takeFingerprint } from './fingerprint.js';
import { writeInline } from './html/render-blocks.js';
import { renderPage } from './html/render-page.js';
import type { ReportManifest } from './manifest.js';
import { type CheckedNotes, checkNotes, type Notes } from './notes/check-notes.js';
import { parseReference } from './references.js';
import { curvesOf, renderMarkdown, writeCitation } from './render-markdown.js';
import { finitePoints, type ReportedTrajectory, type ReportRun, wholeStep } from './report-run.js';
import { describeComparison, describeDifferences, labelGroup } from './sections/comparison.js';
import { describeCosts } from './sections/costs.js';
import { describeCurves, describeFlow } from './sections/curves.js';
import { describeEvidence } from './sections/evidence.js';
import { describeReproduction } from './sections/reproduction.js';
import { describeTranscripts } from './sections/transcripts.js';
import { describeVerdict, toneOf } from './sections/verdicts.js';
import { groupBySeed } from './seed-groups.js';
import { createSources, type Source, type Sources } from './sources.js';

export interface ReportFrame {
  readonly title: string;
  /** version of Espalier */
  readonly version: string;
  readonly madeAt: Date;
  /** how `espalier` is called here */
  readonly program: string;
  /** address of the server that has the runs; empty: folders */
  readonly server: string;
  /** what a person adds; its citations are checked */
  readonly notes?: Notes;
  /** parts about what the runs belong to, such as the claims of a sweep; they replace the tests between the runs */
  readonly lead?: readonly Block[];
  /** commands that make the runs, where none is there yet */
  readonly toRun?: readonly string[];
  /** the lead and the notes are all there is: nothing about single runs */
  readonly isBrief?: boolean;
}

export interface BuiltReport {
  readonly html: string;
  readonly sources: readonly Source[];
}

export interface BuiltMarkdown {
  readonly markdown: string;
  /** what its pictures show */
  readonly charts: readonly CurveChart[];
  readonly sources: readonly Source[];
}

/**
 * Builds the report of runs as one HTML file.
 *
 * @throws report.invalid_citation; AppError when trajectories cannot be read
 */
export async function buildReport(stored: readonly ReportRun[], frame: ReportFrame): Promise<BuiltReport> {
  const { runs, blocks, sources } = await composeReport(stored, frame);
  const shown = await findShown(sources, runs);
  return {
    html: renderPage({
      title: frame.title,
      about: `${describeMaking(runs, frame)} Everything is in this file; it loads nothing.`,
      blocks,
      sources,
      manifest: describeManifest(runs, frame, sources, shown),
    }),
    sources,
  };
}

/**
 * Builds the same report as Markdown, without its title.
 *
 * @param pictures folder of the curves, relative to the file; undefined: they are left out
 * @throws as {@link buildReport}
 */
export async function buildMarkdown(
  stored: readonly ReportRun[],
  frame: ReportFrame,
  pictures: string | undefined,
): Promise<BuiltMarkdown> {
  const { runs, blocks, sources } = await composeReport(stored, frame);
  const about: Block = { kind: 'paragraph', content: [describeMaking(runs, frame)] };
  return {
    markdown: renderMarkdown([about, ...blocks], sources, pictures),
    charts: curvesOf(blocks),
    sources,
  };
}

interface ComposedReport {
  readonly runs: readonly ReportRun[];
  readonly blocks: readonly Block[];
  readonly sources: readonly Source[];
}

async function composeReport(stored: readonly ReportRun[], frame: ReportFrame): Promise<ComposedReport> {
  const runs = stored.map((run) => rememberSteps(run));
  const sources = createSources();
  const blocks = await (frame.isBrief === true ? describeBriefly : describeWhole)(runs, frame, sources);
  return { runs, blocks, sources: sources.list() };
}

async function describeBriefly(
  runs: readonly ReportRun[],
  frame: ReportFrame,
  sources: Sources,
): Promise<Block[]> {
  const { blocks } = await describeNotes(runs, frame, sources);
  return [...(frame.lead ?? []), ...blocks];
}

async function describeWhole(
  runs: readonly ReportRun[],
  frame: ReportFrame,
  sources: Sources,
): Promise<Block[]> {
  if (runs.length === 0)
    return [...(await describeBriefly(runs, frame, sources)), ...describeNone(frame.toRun)];
  const groups = groupBySeed(runs).map(labelGroup);
  const verdicts = runs.map((run): Block => ({
    kind: 'card',
    id: `run-${run.key}`,
    tone: toneOf(run),
    spark: sparkOf(run),
    content: describeVerdict(run, sources),
  }));
  const notes = await describeNotes(runs, frame, sources);
  return [
    ...(frame.lead ?? []),
    heading(2, runs.length === 1 ? 'What happened' : 'What happened to each run', 'verdicts'),
    ...verdicts,
    ...notes.blocks,
    ...(frame.lead === undefined ? describeComparison(groups, sources) : []),
    ...describeDifferences(groups, sources),
    ...describeCurves(groups),
    ...describeEvidence(runs, sources),
    ...describeFlow(runs, sources),
    ...describeCosts(runs, sources),
    ...(await describeTranscripts(runs, notes.trajectories, sources)),
    ...describeReproduction(runs, frame.program, sources),
  ];
}

/** What stands in place of the parts about runs while there are none. */
const describeNone = (toRun: readonly string[] = []): Block[] => [
  heading(2, 'What happened to each run', 'verdicts'),
  paragraph(
    'No run has ended, so nothing can be said yet of what happened, what it cost, what the agent did and how to repeat it.',
    ...(toRun.length === 0 ? [] : [' To run what is missing:']),
  ),
  ...toRun.map((text): Block => ({ kind: 'code', text })),
];

/** What a person adds, and the trajectories that it cites. @throws report.invalid_citation */
async function describeNotes(
  runs: readonly ReportRun[],
  { notes }: ReportFrame,
  sources: Sources,
): Promise<Omit<CheckedNotes, 'block'> & { readonly blocks: readonly Block[] }> {
  if (notes === undefined) return { blocks: [], trajectories: [] };
  const { block, trajectories } = await checkNotes(notes, runs, sources, {
    html: writeInline,
    markdown: writeCitation,
  });
  return { blocks: [heading(2, 'Notes', 'notes'), block], trajectories };
}

/** How its success went, or its reward. */
function sparkOf(run: ReportRun): Extract<Block, { kind: 'card' }>['spark'] {
  const title = ['rollout/success_rate', 'validation/success_rate', 'rollout/reward_mean'].find(
    (name) => finitePoints(run, name).length > 1,
  );
  return title === undefined ? undefined : { title, points: finitePoints(run, title) };
}

/** Reads every step once. */
function rememberSteps(run: ReportRun): ReportRun {
  const steps = new Map<number, Promise<readonly ReportedTrajectory[]>>();
  return {
    ...run,
    readTrajectories: (step) => {
      const known = steps.get(step) ?? run.readTrajectories(step);
      steps.set(step, known);
      return known;
    },
  };
}

function describeMaking(runs: readonly ReportRun[], { madeAt, version, server }: ReportFrame): string {
  const of = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  const where = server === '' ? '' : ` of ${server}`;
  return `Made ${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC by Espalier ${version} from ${of}${where}.`;
}

/** The trajectories that sources name, by run and id. */
async function findShown(
  sources: readonly Source[],
  runs: readonly ReportRun[],
): Promise<Map<string, ReportedTrajectory>> {
  const shown = new Map<string, ReportedTrajectory>();
  const keys = runs.map(({ key }) => key);
  for (const { reference } of sources.flatMap(({ parts }) => parts)) {
    if (!reference.includes(':trajectory/')) continue;
    const { run: key, target } = parseReference(reference, keys);
    const run = runs.find((one) => one.key === key);
    if (target.kind !== 'trajectory' || run === undefined) continue;
    const step = Number(target.id.split('/')[1]);
    const found = (await run.readTrajectories(step)).find(({ id }) => id === target.id);
    if (found !== undefined) shown.set(JSON.stringify([key, target.id]), found);
  }
  return shown;
}

function describeManifest(
  runs: readonly ReportRun[],
  { title, version, madeAt, server }: ReportFrame,
  sources: readonly Source[],
  shown: ReadonlyMap<string, ReportedTrajectory>,
): Omit<ReportManifest, 'document'> {
  return {
    format: 1,
    title,
    version,
    madeAt: madeAt.toISOString(),
    server,
    runs: runs.map((run) => ({
      key: run.key,
      address: run.address,
      state: run.state,
      upTo: wholeStep(run),
      fingerprint: takeFingerprint(run, wholeStep(run)),
      trajectories: Object.fromEntries(
        [...shown].flatMap(([name, trajectory]) => {
          const [key, id] = JSON.parse(name) as [string, string];
          return key === run.key ? [[id, hashTrajectory(trajectory)]] : [];
        }),
      ),
    })),
    sources: sources.map(({ number, parts }) => ({
      number,
      parts: parts.map(({ reference, value }) => ({ reference, value })),
    })),
  };
}
