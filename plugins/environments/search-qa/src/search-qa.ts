/** @file The environment: a question, a search engine over a corpus, one answer. */
import { createStream, data, type EnvironmentInstance, type StepResult } from '@espalier/plugin-kit';
import { cut, parseAction, Reader, type ReaderState, type SearchOptions, startState } from './reader.js';
import { scoreAnswer, wordsOf } from './score.js';

/** Creates one reader; `reset` gives the question. */
export function createSearchQa(options: SearchOptions): EnvironmentInstance {
  const reader = new Reader(options);
  return {
    reset: ({ state: seed }) => {
      reader.state = startState(data.taskOfSeed(reader.library.tasks, seed));
      return reader.observe();
    },
    step: (action) => act(reader, action),
    render: () => [reader.state.task.question, '-'.repeat(40), ...reader.lines()].join('\n'),
    oracle: () => planOf(reader),
    sampleAction: (seed) => sampleAction(reader, seed),
    explain: ([action = '']) => {
      const { name = '', argument = '' } = parseAction(action) ?? {};
      if (name === 'next') return 'I turn the page.';
      if (name === 'finish') return `The documents say ${cut(argument, 100)}.`;
      return `${reader.state.query === '' ? 'I' : 'Next I'} look up ${cut(argument, 100)}.`;
    },
    facts: () => factsOf(reader),
    snapshot: () => reader.state,
    restore: (snapshot) => {
      reader.state = snapshot as ReaderState;
    },
  };
}

function act(reader: Reader, action: string): StepResult {
  const before = reader.observe().stateKey;
  const valid = reader.move(action);
  const { task, reward } = reader.state;
  const isAnswer = valid && reward !== null;
  const observation = reader.observe();
  const score = isAnswer ? scoreAnswer(parseAction(action)?.argument ?? '', task.answers) : undefined;
  return {
    observation,
    reward: isAnswer ? reward : 0,
    done: reward !== null,
    success: reward === 1,
    valid,
    effective: observation.stateKey !== before,
    ...(score !== undefined && {
      metrics: {
        exact_match: score.isExact ? 1 : 0,
        f1: score.f1,
        support_found: reader.supportFound(),
      },
    }),
  };
}

/** Searches for what is still to be read, in order, then answers. */
function planOf(reader: Reader): string[] {
  const { task, shown, reward, query } = reader.state;
  if (reward !== null) return [];
  const searches = reader
    .supporting()
    .flatMap((number, place) =>
      shown.includes(number)
        ? []
        : searchFor(reader, number, task.queries?.[place] ?? reader.library.corpus.document(number).title),
    );
  if (task.supporting.length === 0 && query === '') searches.push(`search[${task.question}]`);
  return [...searches, `finish[${task.answers[0] ?? ''}]`];
}

/** Turns the pages of a search up to the one that lists a document; nothing where none does. */
function searchFor(reader: Reader, number: number, words: string): string[] {
  const page = reader.pageOf(words, number);
  if (page === undefined) return [];
  const { query, page: current } = reader.state;
  const isOpen = query === words && current < page;
  const turns = Array.from({ length: page - (isOpen ? current : 1) }, () => 'next');
  return isOpen ? turns : [`search[${words}]`, ...turns];
}

/** A search for two words that are seen, or now and then another action. */
function sampleAction(reader: Reader, seed: number): string {
  const stream = createStream(seed);
  const words = wordsOf(`${reader.state.task.question} ${reader.lines().join(' ').slice(0, 400)}`);
  const [first = 'x', second = 'x'] = stream.shuffle(words);
  const choice = stream.int(8);
  const listed = reader.listed().length;
  if (choice === 0) return `finish[${first}]`;
  if (choice === 1 && reader.state.page < reader.pages) return 'next';
  if (choice === 2 && listed > 0) return `open[${1 + stream.int(listed)}]`;
  return `search[${first} ${second}]`;
}

function factsOf(reader: Reader): Readonly<Record<string, unknown>> {
  const { task, query, opened } = reader.state;
  const titleOf = (number: number): string => reader.library.corpus.document(number).title;
  return {
    question: task.question,
    answers: [...task.answers],
    query,
    results: reader.listed().map(titleOf),
    opened: opened < 0 ? null : titleOf(opened),
    supporting: [...task.supporting],
    supportFound: reader.supportFound(),
  };
}
