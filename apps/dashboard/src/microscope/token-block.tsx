/** @file Some tokens of a turn; one element for each. */
import { memo } from 'react';
import type { OpenedTrajectory, TokenPage } from '../data/types.js';
import { toVisibleToken } from '../format/visible-text.js';
import { type Block, textOf } from './blocks.js';
import { ReadTokens, readPortion } from './read-tokens.js';
import { clipSides, type Measure, shadeOf, valueOf } from './measures.js';

interface Props {
  readonly runId: string;
  /** of the trajectory */
  readonly id: string;
  readonly block: Block;
  readonly turn: OpenedTrajectory['turns'][number] | undefined;
  /** undefined: it has not arrived */
  readonly page: TokenPage | undefined;
  /** that of its last tokens, where it is in two */
  readonly nextPage: TokenPage | undefined;
  readonly measure: Measure;
  /** of its tokens; undefined: none */
  readonly chosen: number | undefined;
  readonly hasMask: boolean;
  /** of the tokens that it read; 0: they are folded away */
  readonly shownRead: number;
  /** shows more of them, or folds them away */
  onRead(turn: number, shown: number): void;
}

export const TokenBlock = memo(function TokenBlock(props: Props) {
  const { runId, id, block, page, turn, chosen, shownRead, onRead } = props;
  const tokens = Array.from({ length: block.end - block.start }, (_, at) => block.start + at);
  return (
    <>
      {block.read !== undefined && (
        <header className="small muted">
          Turn {block.turn + 1} ·{' '}
          {block.read === 0 ? (
            'no token read'
          ) : (
            <button
              className="plain"
              aria-expanded={shownRead > 0}
              onClick={() => onRead(block.turn, shownRead > 0 ? 0 : readPortion)}
            >
              {block.read} tokens read, not sampled
            </button>
          )}{' '}
          · {block.sampled} sampled
          {turn !== undefined && turn.policyVersion !== null && ` by version ${turn.policyVersion}`}
        </header>
      )}
      {block.read !== undefined && block.read > 0 && shownRead > 0 && (
        <ReadTokens
          runId={runId}
          id={id}
          start={block.start - block.read}
          end={block.start}
          count={shownRead}
          chosen={chosen}
          onMore={() => onRead(block.turn, shownRead + readPortion)}
        />
      )}
      {page === undefined ? (
        <div className="tokens waiting" aria-busy="true" style={{ minHeight: tokens.length * 1.2 }} />
      ) : (
        <div className="tokens">{tokens.map((token) => markOf(token, props))}</div>
      )}
    </>
  );
});

/** What stands for a token without text. */
export const emptyOf = (token: number, { sampled }: OpenedTrajectory['turns'][number]): string =>
  token === sampled.end - 1 ? '⟨end of turn⟩' : '∅';

function markOf(token: number, { page: first, nextPage, turn, measure, chosen, hasMask }: Props) {
  const isFirst = first !== undefined && token < first.from + first.tokens.length;
  const page = isFirst ? first : nextPage;
  if (page === undefined || turn === undefined)
    return <span key={token} className="token hatched" data-token={token} />;
  const at = token - page.from;
  const text = textOf(turn, page, token);
  const value = valueOf(measure, page, at);
  const { color, share } = value === undefined ? { color: '', share: 0 } : shadeOf(measure, value);
  const side = clipSides[page.clipped?.[at] ?? 0] ?? '';
  const isMasked = hasMask && page.mask[at] === 1;
  const shown =
    text === undefined ? `${page.tokens[at] ?? '?'} ` : toVisibleToken(text) || emptyOf(token, turn);
  return (
    <span
      key={token}
      role="button"
      tabIndex={-1}
      className={`token ${value === undefined ? 'hatched' : ''} ${isMasked ? 'masked' : ''} ${side === '' ? '' : `clip ${side}`}`}
      style={
        value === undefined ? {} : { background: `color-mix(in srgb, var(${color}) ${share}%, transparent)` }
      }
      aria-pressed={chosen === token}
      data-token={token}
    >
      {shown}
      {text?.includes('\n') === true && '\n'}
    </span>
  );
}
