/** @file One reader of a library: the question, the last search, the document that is open, and what is seen of them. */
import type { Observation } from '@espalier/plugin-kit';
import { type Library, type LibrarySource, openLibrary } from './library.js';
import { rewardOf, scoreAnswer } from './score.js';
import type { Question } from './world.js';

export interface SearchOptions {
  readonly library: LibrarySource;
  readonly results: number;
  readonly excerpt: number;
  readonly partialCredit: number;
}

/** The state of an episode, as plain JSON. */
export interface ReaderState {
  readonly task: Question;
  /** the last search, empty before the first */
  readonly query: string;
  /** page of its results, from 1 */
  readonly page: number;
  /** number of the document that is open, or −1 */
  readonly opened: number;
  /** numbers of documents of which something was shown */
  readonly shown: readonly number[];
  /** reward of the answer, once given */
  readonly reward: number | null;
}

/** Most documents that a search finds, and characters of a search that are read. */
const maxHits = 50;
const maxQuery = 1000;
/** Characters of a document that opening shows. */
const maxText = 4000;

/**
 * Reads `name[argument]`; what follows the last bracket is ignored, as is the case of the name. Only `next` is written without
 * brackets, and never with them.
 */
export function parseAction(
  action: string,
): { readonly name: string; readonly argument: string } | undefined {
  if (action.trim().toLowerCase() === 'next') return { name: 'next', argument: '' };
  const start = action.indexOf('[');
  const end = action.lastIndexOf(']');
  if (start < 1 || end < start) return undefined;
  const name = action.slice(0, start).trim().toLowerCase();
  return name === 'next' ? undefined : { name, argument: action.slice(start + 1, end).trim() };
}

/** Shortens a text, never in the middle of a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '');
  return `${start.trimEnd()}…`;
}

/** Where an episode begins. */
export function startState(task: Question): ReaderState {
  return { task, query: '', page: 1, opened: -1, shown: [], reward: null };
}

/** A reader; the library is opened when it is first needed. */
export class Reader {
  state = startState({ question: '', answers: [], supporting: [] });
  private opened: Library | undefined;
  private found: { readonly query: string; readonly hits: readonly number[] } = { query: '', hits: [] };

  constructor(readonly options: SearchOptions) {}

  get library(): Library {
    return (this.opened ??= openLibrary(this.options.library));
  }

  /** Numbers of the documents on this page of results. */
  listed(): readonly number[] {
    const { results } = this.options;
    return this.hits().slice((this.state.page - 1) * results, this.state.page * results);
  }

  get pages(): number {
    return Math.ceil(this.hits().length / this.options.results);
  }

  /** The page on which a search lists a document; undefined where none does. */
  pageOf(words: string, number: number): number | undefined {
    const place = this.library.corpus.index.search(words.slice(0, maxQuery), maxHits).indexOf(number);
    return place < 0 ? undefined : 1 + Math.floor(place / this.options.results);
  }

  /** What is seen, without the question. */
  lines(): readonly string[] {
    const { corpus } = this.library;
    const { reward, opened, query, page } = this.state;
    if (reward !== null) return [`Your answer gets ${reward.toFixed(2)} points.`];
    if (opened >= 0) {
      const { title, text } = corpus.document(opened);
      return [title, cut(text, maxText)];
    }
    if (query === '') return [`${corpus.size} documents can be searched.`];
    if (this.hits().length === 0) return ['No document has these words.'];
    return [
      ...this.listed().map((number, place) => {
        const { title, text } = corpus.document(number);
        return `[${place + 1}] ${title}: ${cut(text, this.options.excerpt)}`;
      }),
      `Page ${page} of ${this.pages}`,
    ];
  }

  observe(): Observation {
    const text = [`Question: ${this.state.task.question}`, ...this.lines()].join('\n');
    return { text, stateKey: text };
  }

  /** Acts; returns whether the text was an action. */
  move(action: string): boolean {
    const after = this.after(action);
    if (after === undefined) return false;
    this.state = after;
    if (after.reward === null) {
      const seen = after.opened >= 0 ? [after.opened] : this.listed();
      this.state = { ...after, shown: [...new Set([...after.shown, ...seen])] };
    }
    return true;
  }

  /** Numbers of the documents that lead to the answer. */
  supporting(): readonly number[] {
    return this.state.task.supporting.flatMap((id) => this.library.corpus.numbers.get(id) ?? []);
  }

  /** Share of them that were shown; 1 where none is named. */
  supportFound(): number {
    const wanted = this.supporting();
    const shown = wanted.filter((number) => this.state.shown.includes(number));
    return wanted.length === 0 ? 1 : shown.length / wanted.length;
  }

  private after(action: string): ReaderState | undefined {
    const { state } = this;
    const { name, argument } = parseAction(action) ?? { name: '', argument: '' };
    if (state.reward !== null) return undefined;
    if (name === 'search' && argument !== '')
      return { ...state, query: argument.slice(0, maxQuery), page: 1, opened: -1 };
    if (name === 'next' && state.page < this.pages) return { ...state, page: state.page + 1, opened: -1 };
    if (name === 'open' && /^\d{1,3}$/.test(argument)) {
      const number = this.listed()[Number(argument) - 1];
      return number === undefined ? undefined : { ...state, opened: number };
    }
    if (name !== 'finish' && name !== 'answer') return undefined;
    const score = scoreAnswer(argument, state.task.answers);
    return { ...state, reward: rewardOf(score, this.options.partialCredit) };
  }

  private hits(): readonly number[] {
    const { query } = this.state;
    if (query !== this.found.query)
      this.found = { query, hits: this.library.corpus.index.search(query, maxHits) };
    return this.found.hits;
  }
}
