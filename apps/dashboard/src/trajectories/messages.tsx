/** @file What the model saw and what it wrote, as text alone; a long message is cut into pieces, which are drawn as they come into view. */
import type { TrajectoryDetails } from '@espalier/client';
import { useMemo } from 'react';
import { cutText } from '../format/cut-text.js';
import { fromTurn } from '../chat/chat-place.js';
import { Text } from '../parts/text.js';
import { useSearch } from '../routing/router.js';
import { WindowList } from '../parts/window-list.js';

type Turn = TrajectoryDetails['turns'][number];

const pieceSize = 3000;

interface Piece {
  readonly turn: Turn;
  readonly isWritten: boolean;
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

const piecesOf = (turns: readonly Turn[]): Piece[] =>
  turns.flatMap((turn) =>
    [false, true].flatMap((isWritten) => {
      const texts = cutText(isWritten ? turn.response : turn.observation, pieceSize);
      return texts.map((text, at) => ({
        turn,
        isWritten,
        text,
        isFirst: at === 0,
        isLast: at === texts.length - 1,
      }));
    }),
  );

export function Messages({ turns }: { readonly turns: readonly Turn[] }) {
  const pieces = useMemo(() => piecesOf(turns), [turns]);
  return (
    <WindowList
      className="messages"
      label="Messages"
      count={pieces.length}
      estimate={(at) => heightOf(pieces[at])}
      render={(at) => {
        const piece = pieces[at];
        return piece === undefined ? null : <MessagePiece piece={piece} />;
      }}
    />
  );
}

/** About how high a piece is, until it is measured. */
const heightOf = (piece: Piece | undefined): number =>
  piece === undefined ? 0 : 60 + (piece.text.length / 90 + piece.text.split('\n').length) * 19;

function MessagePiece({ piece: { turn, isWritten, text, isFirst, isLast } }: { readonly piece: Piece }) {
  const [, setSearch] = useSearch();
  const parts = ['message', isWritten ? 'written' : 'seen', isFirst ? 'first' : '', isLast ? 'last' : ''];
  return (
    <article className={parts.join(' ')}>
      {isFirst && (
        <header className="small muted">
          {isWritten ? 'Model' : `Environment · turn ${turn.index + 1}`}
          {isWritten && (
            <button className="plain" onClick={() => setSearch(fromTurn(turn.index))}>
              Chat from here
            </button>
          )}
          {isWritten && turn.sampleStop !== 'stop' && <> · cut off by {turn.sampleStop}</>}
          {isWritten && !turn.formatValid && <> · form not kept</>}
        </header>
      )}
      <pre>
        {isWritten && turn.response === '' ? (
          <span className="faint">an empty response</span>
        ) : (
          <Text of={text} />
        )}
      </pre>
    </article>
  );
}
