/** @file A corpus with its questions: made from a seed or read from files, opened once and shared by all instances. */
import { data } from '@espalier/plugin-kit';
import { z } from 'zod';
import { buildCorpus, type Corpus, type Document } from './corpus.js';
import { makeWorld, type Question } from './world.js';

export interface Library {
  readonly corpus: Corpus;
  readonly tasks: data.TaskSplits<Question>;
}

/** Documents and questions that are read. */
export interface LibraryFiles {
  readonly source: 'files';
  readonly documents: readonly string[];
  readonly questions: readonly string[];
  readonly test?: readonly string[] | undefined;
}

/** Where documents and questions come from. */
export type LibrarySource =
  | { readonly source: 'generated'; readonly seed: number; readonly documents: number }
  | LibraryFiles;

/** How many libraries a process keeps; a run needs one for each set of options. */
const kept = 2;
/** Opens a library. */
export const openLibrary = data.openOnce(
  (source: LibrarySource): Library =>
    source.source === 'files' ? readLibrary(source) : makeLibrary(source.seed, source.documents),
  (source) =>
    source.source === 'files' ? [...source.documents, ...source.questions, ...(source.test ?? [])] : [],
  kept,
);

const groupOf = ({ question }: Question): string => question;

function makeLibrary(seed: number, count: number): Library {
  const { documents, questions } = makeWorld(seed, count);
  return { corpus: buildCorpus(documents), tasks: data.splitTasks(questions, groupOf) };
}

/** Reads documents and questions. @throws plugin.failed that names file and line of what cannot be used */
export function readLibrary({ documents, questions, test }: LibraryFiles): Library {
  const corpus = buildCorpus(readDocuments(documents), reporter());
  const read = (files: readonly string[]): Question[] => files.flatMap((file) => readQuestions(file, corpus));
  return {
    corpus,
    tasks: data.splitTasks(read(questions), groupOf, test === undefined ? undefined : read(test)),
  };
}

const quietMs = 2000;

/** Reports to standard error every other second how many documents are read. */
function reporter(): (count: number) => void {
  let last = performance.now();
  return (count) => {
    if (count % 256 !== 0 || performance.now() - last < quietMs) return;
    last = performance.now();
    process.stderr.write(`search-qa: ${count.toLocaleString('en')} documents read\n`);
  };
}

const id = z.union([z.string().min(1).max(200), z.number()]).transform(String);
const rawDocument = z.object({ id, title: z.string().max(1000).default(''), text: z.string() });
const rawQuestion = z
  .object({
    question: z.string().trim().min(1),
    answers: z.array(z.string().trim().min(1)).min(1).optional(),
    answer: z.string().trim().min(1).optional(),
    supporting: z.array(id).default([]),
  })
  .refine(({ answers, answer }) => answers !== undefined || answer !== undefined, {
    path: ['answers'],
    message: 'expected at least one answer, or `answer`',
  });

function* readDocuments(files: readonly string[]): Generator<Document> {
  const seen = new Set<string>();
  for (const file of files)
    for (const { value, place } of data.readRecords(file)) {
      const document = take(rawDocument.safeParse(value), file, place);
      if (seen.has(document.id))
        throw data.invalidData(
          file,
          place,
          `the id ${JSON.stringify(document.id)} is that of an earlier document; give each its own`,
        );
      seen.add(document.id);
      yield document;
    }
  if (seen.size === 0)
    throw data.invalidData(
      files[0] ?? '',
      'its end',
      'has no document; expected lines with id, title and text',
    );
}

function readQuestions(file: string, { numbers }: Corpus): Question[] {
  const questions: Question[] = [];
  for (const { value, place } of data.readRecords(file)) {
    const { question, answers, answer, supporting } = take(rawQuestion.safeParse(value), file, place);
    const unknown = supporting.find((one) => !numbers.has(one));
    if (unknown !== undefined)
      throw data.invalidData(
        file,
        place,
        `supporting: no document has the id ${JSON.stringify(unknown)}; add it to the documents, or leave it out`,
      );
    questions.push({ question, answers: answers ?? [answer!], supporting });
  }
  if (questions.length === 0)
    throw data.invalidData(file, 'its end', 'has no question; expected lines with question and answers');
  return questions;
}

function take<T>(parsed: z.ZodSafeParseResult<T>, file: string, place: string): T {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw data.invalidData(file, place, `${path === '' ? '' : `${path}: `}${issue?.message ?? 'is invalid'}`);
}
