/** @file Reports as files: HTML for people, Markdown with pictures beside it for repositories. */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, parse, relative, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { describeObstacle, saveWholeFile } from '@espalier/files';
import { buildReport, type BuiltReport, nameRuns, type ReportRun } from '@espalier/report';
import { calledAs } from '../parse-arguments.js';
import { drawCurves } from '../view/draw-curves.js';
import { describeSubjects } from './describe-subject.js';
import type { MeasuredSubject } from './measure-subject.js';
import { readFolder } from './read-folder.js';
import { isRun } from './read-subject.js';

/** What a person writes for a report. */
export interface ReportRequest {
  readonly title: string;
  readonly version: string;
  readonly notes: string | undefined;
}

export const isHtml = (path: string): boolean => /\.html?$/i.test(path);

/**
 * Reads the runs that a report shows: those that were named, and those of sweeps that have ended.
 *
 * @param out file of the report; folders are named as seen from there
 */
export function readRunsOf(
  words: readonly string[],
  measured: readonly MeasuredSubject[],
  out: string,
): ReportRun[] {
  const ofSweeps = measured
    .filter(({ subject }) => subject.spec !== undefined)
    .flatMap(({ subject }) => subject.ended.map(({ folder }) => folder));
  const folders = [...new Set([...words.filter(isRun), ...ofSweeps])];
  const keys = nameRuns(folders.map((folder) => basename(resolve(folder))));
  const from = dirname(resolve(out));
  return folders.map((folder, index) =>
    readFolder(folder, keys[index] ?? folder, toPosix(relative(from, resolve(folder))) || '.'),
  );
}

const toPosix = (path: string): string => path.split('\\').join('/');

/** Builds the HTML of a report on folders. @throws report.invalid_citation, cli.usage when the notes cannot be read */
export async function buildLocalReport(
  runs: readonly ReportRun[],
  measured: readonly MeasuredSubject[],
  { title, version, notes }: ReportRequest,
): Promise<BuiltReport> {
  const program = calledAs();
  const sweeps = measured.filter(({ subject }) => subject.spec !== undefined);
  return buildReport(runs, {
    title,
    version,
    program,
    madeAt: new Date(),
    server: '',
    ...(sweeps.length === 0 ? {} : { lead: describeSubjects(sweeps, program) }),
    ...readNotes(notes),
  });
}

/** Builds the HTML of a report on runs of a server. @throws as {@link buildLocalReport} */
export async function buildServerReport(
  runs: readonly ReportRun[],
  server: string,
  { title, version, notes }: ReportRequest,
): Promise<BuiltReport> {
  const frame = { title, version, program: calledAs(), madeAt: new Date(), server };
  return buildReport(runs, { ...frame, ...readNotes(notes) });
}

/** Reads the notes. @throws cli.usage */
export function readNotes(path: string | undefined): { notes?: { file: string; text: string } } {
  if (path === undefined) return {};
  try {
    return { notes: { file: path, text: readFileSync(path, 'utf8') } };
  } catch (cause) {
    throw new AppError(
      'cli.usage',
      `report --notes ${path}: ${describeObstacle(cause)}; name a file of Markdown`,
      { cause },
    );
  }
}

/** Writes a file whole. @throws cli.unusable_folder */
export function saveReport(out: string, text: string, measured: readonly MeasuredSubject[] = []): void {
  try {
    const charts = measured.flatMap((one) => one.charts);
    const pictures = join(dirname(out), parse(out).name);
    mkdirSync(charts.length > 0 ? pictures : dirname(out), { recursive: true });
    for (const { id, title, curves } of charts)
      saveWholeFile(join(pictures, `${id}.svg`), drawCurves(title, curves));
    saveWholeFile(out, text);
  } catch (cause) {
    throw new AppError(
      'cli.unusable_folder',
      `report --out ${out}: ${describeObstacle(cause)}; choose another file`,
      { cause },
    );
  }
}
