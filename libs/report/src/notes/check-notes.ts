/** @file Checks the citations of notes against the runs: each must exist, and a number or quotation beside it must agree. */
import { AppError } from '@espalier/contracts';
import type { Block, Inline } from '../document.js';
import { formatNumber } from '../numbers.js';
import {
  findTrajectory,
  formatReference,
  parseReference,
  type Reference,
  ReferenceProblem,
} from '../references.js';
import type { ReportedTrajectory, ReportRun } from '../report-run.js';
import { placeOf } from '../sections/transcripts.js';
import type { Sources } from '../sources.js';
import { type Citation, parseNotes } from './parse-notes.js';
import { agrees, findWritten, hasQuote, type WrittenValue } from './written-value.js';

/** Markdown of a person. */
export interface Notes {
  /** path, for messages */
  readonly file: string;
  readonly text: string;
}

export interface CheckedNotes {
  readonly block: Block;
  readonly trajectories: readonly { readonly run: ReportRun; readonly trajectory: ReportedTrajectory }[];
}

/** More than this many problems are counted, not listed. */
const maxListed = 20;

/** Writes a citation as HTML, and as Markdown. */
export interface CitationWriters {
  readonly html: (cite: Inline) => string;
  readonly markdown: (cite: Inline) => string;
}

/**
 * Checks notes and writes them.
 *
 * @throws report.invalid_citation with every problem, its file and line
 */
export async function checkNotes(
  { file, text }: Notes,
  runs: readonly ReportRun[],
  sources: Sources,
  write: CitationWriters,
): Promise<CheckedNotes> {
  const parsed = parseNotes(text);
  const problems: string[] = [];
  const cites: Inline[] = [];
  const trajectories: CheckedNotes['trajectories'][number][] = [];
  for (const citation of parsed.citations) {
    try {
      const { cite, shown } = await checkCitation(citation, runs, sources);
      cites.push(cite);
      if (shown !== undefined) trajectories.push(shown);
    } catch (error) {
      if (!(error instanceof ReferenceProblem)) throw error;
      problems.push(`${file}:${citation.line}: [[${citation.reference}]]: ${error.message}`);
      cites.push('');
    }
  }
  if (problems.length > 0) throw refuse(file, parsed.citations.length, problems);
  const html = parsed.render((index) => write.html(cites[index] ?? ''));
  const markdown = parsed.insert((index) => write.markdown(cites[index] ?? ''));
  return { block: { kind: 'notes', html, markdown }, trajectories };
}

const markOf = (source: number): string => `[${source}]`;

function refuse(file: string, citations: number, problems: readonly string[]): AppError {
  const listed = problems.slice(0, maxListed).join('\n');
  const more = problems.length > maxListed ? `\nand ${problems.length - maxListed} more` : '';
  return new AppError(
    'report.invalid_citation',
    `check ${file}: ${problems.length} of ${citations} citations do not hold; correct them, nothing was written\n${listed}${more}`,
    { details: { problems: problems.slice(0, maxListed) } },
  );
}

interface CheckedCitation {
  readonly cite: Inline;
  readonly shown?: CheckedNotes['trajectories'][number];
}

async function checkCitation(
  { reference: text, before }: Citation,
  runs: readonly ReportRun[],
  sources: Sources,
): Promise<CheckedCitation> {
  const reference = parseReference(
    text,
    runs.map(({ key }) => key),
  );
  const run = runs.find(({ key }) => key === reference.run);
  if (run === undefined) throw new ReferenceProblem(`no run "${reference.run}"`);
  const written = findWritten(before);
  const { target } = reference;
  if (target.kind === 'trajectory') return checkTrajectory(run, reference, written, sources);
  const cite = sources.cite(run, target);
  if (written === undefined || typeof cite === 'string' || cite.kind !== 'cite') return { cite };
  const [part] = sources.list().find(({ number }) => number === cite.source)?.parts ?? [];
  if (part === undefined) return { cite };
  if (written.kind === 'number') checkNumber(written, part.value);
  else if (!hasQuote(String(part.value), written.text))
    throw new ReferenceProblem(`"${written.text}" is not what the source says: ${part.text}`);
  return { cite: { ...cite, text: markOf(cite.source) } };
}

function checkNumber(written: Extract<WrittenValue, { kind: 'number' }>, stored: number | string): void {
  if (typeof stored !== 'number')
    throw new ReferenceProblem(`${written.text} is written beside it, and the source says: ${stored}`);
  if (agrees(written, stored)) return;
  const share = written.text.endsWith('%') ? `, which is ${formatNumber(100 * stored)} %` : '';
  throw new ReferenceProblem(`${written.text} is written beside it, and the source says ${stored}${share}`);
}

async function checkTrajectory(
  run: ReportRun,
  reference: Reference,
  written: WrittenValue | undefined,
  sources: Sources,
): Promise<CheckedCitation> {
  const { target } = reference;
  if (target.kind !== 'trajectory') throw new ReferenceProblem('it is no trajectory');
  const trajectory = await findTrajectory(run, target);
  const turn =
    target.turn ??
    (target.token === undefined
      ? undefined
      : trajectory.turns.find(({ sampled }) => (target.token ?? 0) < sampled.end)?.index);
  const { total } = trajectory.score;
  if (written?.kind === 'number') checkNumber(written, total);
  if (written?.kind === 'quote') {
    const turns = trajectory.turns.filter(({ index }) => target.turn === undefined || index === target.turn);
    const isSaid = turns.some((one) =>
      [one.response, one.observation, one.render].some((text) => hasQuote(text, written.text)),
    );
    if (!isSaid)
      throw new ReferenceProblem(
        `"${written.text}" is not in ${target.turn === undefined ? 'any turn' : `turn ${target.turn + 1}`} of it`,
      );
  }
  const part = {
    reference: formatReference(reference),
    value: total,
    text: `reward ${formatNumber(total)}`,
    where: `trajectories, step ${trajectory.step}`,
  };
  const cite = sources.citeTrajectory(part.text, part, placeOf(run.key, trajectory.id, turn));
  const shown = { run, trajectory };
  if (written === undefined || typeof cite === 'string' || cite.kind !== 'cite') return { cite, shown };
  return { cite: { ...cite, text: markOf(cite.source) }, shown };
}
