import type { TrajectoryDetails } from '@espalier/client';
import { Text } from '../parts/text.js';

type Turn = TrajectoryDetails['turns'][number];

/** What the model saw and what it wrote, as text alone. */
export function Messages({ turns }: { readonly turns: readonly Turn[] }) {
  return (
    <ol className="messages">
      {turns.map((turn) => (
        <li key={turn.index}>
          <article className="card message seen">
            <header className="small muted">Environment · turn {turn.index + 1}</header>
            <pre>
              <Text of={turn.observation} />
            </pre>
          </article>
          <article className="card message written">
            <header className="small muted">
              Model{turn.sampleStop !== 'stop' && <> · cut off by {turn.sampleStop}</>}
              {!turn.formatValid && <> · form not kept</>}
            </header>
            <pre>
              {turn.response === '' ? (
                <span className="faint">an empty response</span>
              ) : (
                <Text of={turn.response} />
              )}
            </pre>
          </article>
        </li>
      ))}
    </ol>
  );
}
