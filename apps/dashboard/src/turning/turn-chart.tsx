import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
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

/** Turns up to which each one is labelled; more are narrower, and every fifth is. */
const mostWide = 30;
const turnWidth = { wide: 56, narrow: 20 } as const;
const labelEvery = 5;

const height = 150;
const top = 18;
const bottom = 126;

/** Turn by turn: the length of the oracle's plan as steps, the chance of success as dots with intervals. */
export function TurnChart({ turns, continued, planTurn, fallTurn, chosen, onPick }: Props) {
  const isNarrow = turns.length > mostWide;
  const width = Math.max(320, turns.length * (isNarrow ? turnWidth.narrow : turnWidth.wide));
  const x = (turn: number): number => ((turn + 0.5) / turns.length) * width;
  const longest = Math.max(1, ...turns.map(({ plan }) => plan?.length ?? 0));
  const ofPlan = (length: number): number => bottom - (length / longest) * (bottom - top);
  const ofRate = (rate: number): number => bottom - rate * (bottom - top);
  const half = width / turns.length / 2;
  const isTurning = (turn: number): boolean => planTurn?.turn === turn || fallTurn === turn;
  const isLabelled = (turn: number): boolean =>
    !isNarrow || turn === chosen || turn === 0 || isTurning(turn) || (turn + 1) % labelEvery === 0;
  const box = useTurnInView(chosen, turns.length);
  return (
    <div ref={box} className="scroll">
      <svg
        className="turn-chart"
        style={{ minWidth: width, maxWidth: width * 1.25 }}
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
            {plan?.length === 0 && isLabelled(index) && (
              <text className="lost" x={x(index)} y={bottom - 6}>
                no way
              </text>
            )}
            {plan !== null && plan.length > 0 && (
              <text className="tick" x={x(index) + half - 10} y={ofPlan(plan.length) - 3}>
                {plan.length}
              </text>
            )}
            {isLabelled(index) && (
              <text className="tick" x={x(index)} y={height - 6}>
                {index + 1}
                {isTurning(index) ? ' ▲' : ''}
              </text>
            )}
          </g>
        ))}
        {continued.map((one) => (
          <Chance key={one.turn} of={one} x={x(one.turn)} y={ofRate} isLabelled={isLabelled(one.turn)} />
        ))}
      </svg>
    </div>
  );
}

/** The box of the chart: scrolled so that the chosen turn is in its middle. */
function useTurnInView(chosen: number, count: number): RefObject<HTMLDivElement> {
  const box = useRef<HTMLDivElement>(null);
  // not scrollIntoView, which moves the page too
  useEffect(() => {
    if (box.current === null) return;
    const { clientWidth, scrollWidth } = box.current;
    box.current.scrollLeft = ((chosen + 0.5) / count) * scrollWidth - clientWidth / 2;
  }, [chosen, count]);
  return box;
}

interface ChanceProps {
  readonly of: ContinuedTurn;
  readonly x: number;
  readonly isLabelled: boolean;
  y(rate: number): number;
}

/** The chance of success from a turn, with its interval. */
function Chance({ of: { turn, successRate, successLow, successHigh }, x, y, isLabelled }: ChanceProps) {
  if (successRate === null) return null;
  return (
    <g className="chance" data-chance={turn}>
      <title>
        From turn {turn + 1}: {formatShare(successRate)} [{formatShare(successLow)},{' '}
        {formatShare(successHigh)}]
      </title>
      <line x1={x} x2={x} y1={y(successLow ?? 0)} y2={y(successHigh ?? 1)} />
      <circle cx={x} cy={y(successRate)} r="4.5" />
      {isLabelled && (
        <text className="rate" x={x - 7} y={y(successRate) - 6}>
          {formatShare(successRate)}
        </text>
      )}
    </g>
  );
}
