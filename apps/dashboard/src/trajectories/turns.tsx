import type { TrajectoryDetails } from '@espalier/client';
import { formatNumber, formatSeconds } from '../format/numbers.js';
import { LongText } from '../parts/long-text.js';
import { fromTurn } from '../chat/chat-place.js';
import { Text } from '../parts/text.js';
import { WindowList } from '../parts/window-list.js';
import { useSearch } from '../routing/router.js';
import { Scene, sceneOf } from './scene.js';
import { tellVersion } from './weights.js';

type Turn = TrajectoryDetails['turns'][number];

interface Props {
  readonly turns: readonly Turn[];
  readonly update: TrajectoryDetails['update'];
  readonly labels: TrajectoryDetails['labels'];
  /** what each turn is credited with */
  readonly perTurn: readonly (number | null)[];
}

/** Turn by turn: the state as people see it, the thought, the actions and what they did. */
export function Turns({ turns, update, labels, perTurn }: Props) {
  return (
    <WindowList
      className="turns"
      label="Turns"
      gap={12}
      count={turns.length}
      estimate={() => 360}
      render={(at) => {
        const turn = turns[at];
        return (
          turn !== undefined && (
            <TurnCard
              turn={turn}
              update={update}
              credited={perTurn[turn.index]}
              labels={labels.filter((label) => label.turn === turn.index)}
            />
          )
        );
      }}
    />
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly update: TrajectoryDetails['update'];
  readonly credited: number | null | undefined;
  readonly labels: TrajectoryDetails['labels'];
}

function TurnCard({ turn, update, credited, labels }: TurnProps) {
  const [, setSearch] = useSearch();
  return (
    <article className="card turn">
      <header>
        <h3>Turn {turn.index + 1}</h3>
        <button className="plain small" onClick={() => setSearch(fromTurn(turn.index))}>
          Chat from here
        </button>
        <span className="small muted">
          reward {formatNumber(turn.reward)}
          {turn.formatPenalty !== 0 && <>, form {formatNumber(turn.formatPenalty)}</>}
          {credited !== undefined && <>, credited {formatNumber(credited)}</>}
          {` · weights ${tellVersion(turn.policyVersion, update)}`}
        </span>
        {labels.map(({ name }) => (
          <span key={name} className="badge warn">
            {name.replaceAll('-', ' ')}
          </span>
        ))}
        <span className="small faint end">
          {formatSeconds(turn.timings.sampleMs / 1000)} to write,{' '}
          {formatSeconds(turn.timings.environmentMs / 1000)} to act
        </span>
      </header>
      <div className="sides">
        <Scene {...sceneOf(turn)} alt={`State before turn ${turn.index + 1}`} />
        <div className="stack tight">
          <Part name="Thought">
            {turn.think === '' ? <span className="faint">none</span> : <LongText of={turn.think} />}
          </Part>
          <Part name="Answer">
            {turn.answer === '' ? <span className="faint">none</span> : <LongText of={turn.answer} />}
          </Part>
          <Actions actions={turn.actions} />
          <p className="small muted">
            {turn.plan === null
              ? 'The oracle’s plan is not recorded.'
              : turn.plan.length === 0
                ? 'The oracle knows no way to success from here.'
                : `Oracle: ${turn.plan.length} more to success, `}
            {turn.plan !== null && turn.plan.length > 0 && <Text of={turn.plan.slice(0, 8).join(', ')} />}
          </p>
        </div>
      </div>
    </article>
  );
}

export function Actions({ actions }: { readonly actions: Turn['actions'] }) {
  if (actions.length === 0) return <p className="small muted">No action reached the environment.</p>;
  return (
    <table className="actions">
      <thead>
        <tr>
          <th>Action</th>
          <th>Legal</th>
          <th>Effect</th>
          <th className="number-cell">Reward</th>
        </tr>
      </thead>
      <tbody>
        {actions.map(({ text, valid, effective, slipped, reward }, index) => (
          <tr key={index}>
            <td>
              <Text of={text} />
            </td>
            <td>{valid ? 'yes' : <b className="down">no</b>}</td>
            <td>{slipped === true ? 'slipped' : effective ? 'yes' : <span className="muted">none</span>}</td>
            <td className="number-cell">{formatNumber(reward)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <div className="small muted">{name}</div>
      <pre className="part">{children}</pre>
    </div>
  );
}
