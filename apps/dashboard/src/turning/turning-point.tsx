/**
 * @file Where a trajectory turned: the oracle's remaining plan and the chance of success by turn; at any turn the model's
 * action beside the oracle's, playing on by hand, and letting a checkpoint continue.
 */
import { Term } from '../charts/term.js';
import { fromTurn } from '../chat/chat-place.js';
import { findFall } from '@espalier/protocol/continued';
import type { ContinuedTurn, OpenedTrajectory } from '../data/types.js';
import { formatCount, formatShare } from '../format/numbers.js';
import { ErrorNote, Notice } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSearch } from '../routing/router.js';
import { useMayAct } from '../session/session-context.js';
import { sceneOf, Scene } from '../trajectories/scene.js';
import { ContinuedTable, ContinueForm, useContinuations } from './continue-form.js';
import { readPlayed } from '../play/address.js';
import { PlayOn } from './play-on.js';
import { TurnChart } from './turn-chart.js';
import { compareWithPlan, findPlanTurn, type PlanTurn, whyNoPlan } from './turning.js';
import '../styles/turning.css';

interface Props {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
}

export default function TurningPoint({ runId, trajectory }: Props) {
  const { turns, row } = trajectory;
  const [search, setSearch] = useSearch();
  const mayAct = useMayAct();
  const continuations = useContinuations(runId, row.id);
  const planTurn = findPlanTurn(turns);
  const shown = continuations.data?.find(({ continued }) => continued !== null)?.continued ?? [];
  const fall = findFall(shown);
  const asked = Number(search.get('turn') ?? Number.NaN) - 1;
  const chosen = turns[asked] ?? turns[planTurn?.turn ?? fall?.turn ?? 0];
  if (chosen === undefined)
    return (
      <Notice title="It has no turn">
        <p>It failed before the first one, so there is nothing to continue from.</p>
      </Notice>
    );
  const pick = (turn: number): void => setSearch({ turn: String(turn + 1), played: undefined });
  const play = (actions: readonly string[]): void =>
    setSearch({
      turn: String(chosen.index + 1),
      played: actions.length === 0 ? undefined : JSON.stringify(actions),
    });
  return (
    <div className="stack">
      <Overview trajectory={trajectory} continued={shown} chosen={chosen.index} pick={pick} />
      <ModelBesideOracle turn={chosen} />
      {mayAct && (
        <PlayOn
          key={chosen.index}
          runId={runId}
          id={row.id}
          turn={chosen}
          played={readPlayed(search.get('played'))}
          onPlay={play}
        />
      )}
      <section className="card">
        <header>
          <h2>Let a checkpoint continue</h2>
          <span className="small muted">
            what follows is sampled anew, at the temperature of training; the environment’s chance stays that
            of this trajectory
          </span>
        </header>
        <p className="note small">
          <button onClick={() => setSearch(fromTurn(chosen.index))}>Chat from turn {chosen.index + 1}</button>
        </p>
        <ContinueForm runId={runId} id={row.id} turn={chosen.index} turns={turns.length} />
        {continuations.error !== null && (
          <ErrorNote error={continuations.error} retry={() => void continuations.refetch()} />
        )}
        {continuations.data?.map((one) => (
          <ContinuedTable key={one.jobId} evaluation={one} onPick={pick} />
        ))}
      </section>
    </div>
  );
}

interface OverviewProps {
  readonly trajectory: OpenedTrajectory;
  readonly continued: readonly ContinuedTurn[];
  readonly chosen: number;
  pick(turn: number): void;
}

/** All turns at a glance, and what they say. */
function Overview({ trajectory: { turns, row }, continued, chosen, pick }: OverviewProps) {
  const planTurn = findPlanTurn(turns);
  const fall = findFall(continued);
  return (
    <section className="card">
      <header>
        <h2>Turn by turn</h2>
        <Term
          title="each number of a turn"
          of={[
            'Turn.plan.length',
            'Continuation.successRate',
            'Continuation.low, high',
            'Continuation.rewardMean',
          ]}
        />
        <span className="small muted legend-line">
          <span>
            <i className="swatch plan" /> oracle’s plan, actions to success
          </span>
          {continued.length > 0 && (
            <span>
              <i className="swatch chance" /> success of continuations, 95 % interval
            </span>
          )}
        </span>
      </header>
      <div className="turn-overview">
        <TurnChart
          turns={turns}
          continued={continued}
          planTurn={planTurn}
          fallTurn={fall?.turn}
          chosen={chosen}
          onPick={pick}
        />
        <div className="note small">
          <p>{whyNoPlan(turns) ?? tellPlan(planTurn, row.success)}</p>
          {fall !== undefined && (
            <p data-fall={fall.turn}>
              The chance of success fell at turn {fall.turn + 1}: from {formatShare(fall.from)} to{' '}
              {formatShare(fall.to)}, beyond both intervals.
            </p>
          )}
          <div className="row">
            <button disabled={chosen === 0} onClick={() => pick(chosen - 1)}>
              Turn before
            </button>
            <button disabled={chosen + 1 >= turns.length} onClick={() => pick(chosen + 1)}>
              Turn after
            </button>
          </div>
        </div>
      </div>
    </section>
  );
}

function ModelBesideOracle({ turn }: { readonly turn: OpenedTrajectory['turns'][number] }) {
  return (
    <section className="card">
      <header>
        <h2>Turn {turn.index + 1}</h2>
        <span className="small muted">model beside oracle: {compareWithPlan(turn)}</span>
      </header>
      <div className="sides">
        <Scene {...sceneOf(turn)} alt={`State before turn ${turn.index + 1}`} />
        <table className="actions beside" aria-label="Actions of the model and of the oracle">
          <thead>
            <tr>
              <th>Action</th>
              <th>Model</th>
              <th>Oracle</th>
            </tr>
          </thead>
          <tbody>
            {besideEachOther(turn).map(([own, best], index) => (
              <tr key={index} className={own === undefined || own === best ? '' : 'differs'}>
                <th scope="row" className="faint">
                  {index + 1}
                </th>
                <td>{own === undefined ? <span className="faint">–</span> : <Text of={own} />}</td>
                <td>{best === undefined ? <span className="faint">–</span> : <Text of={best} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function tellPlan(planTurn: PlanTurn | undefined, isSuccess: boolean): string {
  if (planTurn === undefined)
    return isSuccess
      ? 'The way to success never became longer.'
      : 'The way to success never became longer, as far as the plans tell: it was the number of turns or actions that ended it.';
  const { turn, before, after } = planTurn;
  const what =
    after === undefined
      ? `the way to success, ${formatCount(before, 'action')} long before it, was lost`
      : `the way to success grew from ${before} to ${formatCount(after, 'action')}`;
  return `Turn ${turn + 1} is where it turned: ${what}.`;
}

type Beside = readonly (readonly [own: string | undefined, best: string | undefined])[];

function besideEachOther({ actions, plan }: OpenedTrajectory['turns'][number]): Beside {
  const best = plan ?? [];
  const length = Math.max(1, actions.length, Math.min(best.length, 8));
  return Array.from({ length }, (_, index) => [actions[index]?.text, best[index]]);
}
