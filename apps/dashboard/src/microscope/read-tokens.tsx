/** @file The tokens that a turn read and did not sample: ids as the model was given them, folded away until they are asked for. */
import type { TokenPage } from '../data/types.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { pagesOf } from './blocks.js';
import { usePages } from './use-pages.js';

/** shown at first, and more at a time */
export const readPortion = 512;

interface Props {
  readonly runId: string;
  readonly id: string;
  /** first of them, and the first sampled one after them */
  readonly start: number;
  readonly end: number;
  /** how many of them are shown */
  readonly count: number;
  readonly chosen: number | undefined;
  onMore(): void;
}

export function ReadTokens({ runId, id, start, end, count, chosen, onMore }: Props) {
  const to = Math.min(end, start + count);
  const pages = usePages(runId, id, pagesOf(start, to));
  const tokens = Array.from({ length: to - start }, (_, at) => start + at);
  if (pages.error !== null) return <ErrorNote error={pages.error} retry={pages.retry} />;
  if (tokens.some((token) => pages.of(token) === undefined)) return <Waiting what="the tokens" />;
  return (
    <div className="read-tokens mono small" role="group" aria-label="Tokens read, by id">
      {tokens.map((token) => (
        <ReadToken key={token} token={token} page={pages.of(token)} isChosen={token === chosen} />
      ))}
      {to < end && (
        <button className="plain" onClick={onMore}>
          {Math.min(readPortion, end - to)} more of {end - to}
        </button>
      )}
    </div>
  );
}

interface TokenProps {
  readonly token: number;
  readonly page: TokenPage | undefined;
  readonly isChosen: boolean;
}

const ReadToken = ({ token, page, isChosen }: TokenProps) => (
  <span role="button" tabIndex={-1} aria-pressed={isChosen} data-token={token}>
    {page?.tokens[token - page.from] ?? '?'}
  </span>
);
