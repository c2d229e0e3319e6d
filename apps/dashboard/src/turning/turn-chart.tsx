import type { KeyboardEvent } from 'react';
import type { TrajectoryDetails } from '@espalier/client';
import type { ContinuedTurn } from '../data/types.js';
import { formatShare } from '../format/numbers.js';
import type { PlanTurn } from './turning.js';

interface Props {
  readonly turns: TrajectoryDetails['turns'];
  readonly continued: readonly ContinuedTurn[];
  readonly planTurn: PlanTurn | undefined;
  /** turn at which continuations lose success */
  readonly fallTurn: number | undefined;
  readonly chosen: number;
  onPick(turn: number): void;
}

/** A part of a picture that is pressed as a button is. */
const asButton = (press: () => void) => ({
  role: 'button',
  tabIndex: 0,
  onClick: press,
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  },
});

const planInWords = (plan: readonly string[] | null): string => {
  if (plan === null) return 'no plan recorded';
  return plan.length === 0 ? 'no way to success' : `a plan of ${plan.length}`;
};

const height = 150;
const top = 18;
const bottom = 126;

/** Turn by turn: the length of the oracle's plan as steps, the chance of success as dots with intervals. */
export function TurnChart({ turns, continued, planTurn, fallTurn, chosen, onPick }: Props) {
  const width = Math.max(320, turns.length * 56);
  const x = (turn: number): number => ((turn + 0.5) / turns.length) * width;
  const longest = Math.max(1, ...turns.map(({ plan }) => plan?.length ?? 0));
  const ofPlan = (length: number): number => bottom - (length / longest) * (bottom - top);
  const ofRate = (rate: number): number => bottom - rate * (bottom - top);
  const half = width / turns.length / 2;
  return (
    <div className="scroll">
      <svg
        className="turn-chart"
        style={{ minWidth: Math.min(width, 900), maxWidth: width * 1.25 }}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Length of the oracle’s plan and chance of success by turn"
      >
        <line className="axis" x1="0" x2={width} y1={bottom} y2={bottom} />
        {turns.map(({ index, plan }) => (
          <g
            key={index}
            className={`turn-column ${index === chosen ? 'here' : ''}`}
            aria-label={`Turn ${index + 1}: ${planInWords(plan)}`}
            aria-pressed={index === chosen}
            {...asButton(() => onPick(index))}
          >
            <rect className="back" x={x(index) - half} y="0" width={half * 2} height={height} />
            {plan?.length !== 0 && (
              <line
                className={plan === null ? 'no-plan' : 'plan'}
                x1={x(index) - half + 4}
                x2={x(index) + half - 4}
                y1={plan === null ? bottom : ofPlan(plan.length)}
                y2={plan === null ? bottom : ofPlan(plan.length)}
              />
            )}
          </g>
        ))}
        {turns.map(({ index, plan }) => (
          <g key={index} className="turn-words" aria-hidden>
            {plan?.length === 0 && (
              <text className="lost" x={x(index)} y={bottom - 6}>
                no way
              </text>
            )}
            {plan !== null && plan.length > 0 && (
              <text className="tick" x={x(index) + half - 10} y={ofPlan(plan.length) - 3}>
                {plan.length}
              </text>
            )}
            <text className="tick" x={x(index)} y={height - 6}>
              {index + 1}
              {planTurn?.turn === index || fallTurn === index ? ' ▲' : ''}
            </text>
          </g>
        ))}
        {continued.map(({ turn, successRate, successLow, successHigh }) =>
          successRate === null ? null : (
            <g key={turn} className="chance" data-chance={turn}>
              <title>
                From turn {turn + 1}: {formatShare(successRate)} [{formatShare(successLow)},{' '}
                {formatShare(successHigh)}]
              </title>
              <line x1={x(turn)} x2={x(turn)} y1={ofRate(successLow ?? 0)} y2={ofRate(successHigh ?? 1)} />
              <circle cx={x(turn)} cy={ofRate(successRate)} r="4.5" />
              <text className="rate" x={x(turn) - 7} y={ofRate(successRate) - 6}>
                {formatShare(successRate)}
              </text>
            </g>
          ),
        )}
      </svg>
    </div>
  );
}
