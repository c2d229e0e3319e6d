/** @file A plan of what is being edited: asked for when typing rests, answers to older texts are dropped. */
import type { RunPlan } from '@espalier/client';
import { useEffect, useRef, useState } from 'react';
import { detailsOf, readProblems, type SpecProblem } from './problems.js';

export interface Planned {
  /** the newest that there is, also while a newer one is on its way */
  readonly plan: RunPlan | undefined;
  /** the plan was asked for with its cost */
  readonly wasEstimated: boolean;
  readonly problems: readonly SpecProblem[];
  /** a refusal without a place in the text, or no answer */
  readonly error: unknown;
  readonly isPending: boolean;
  /** asks for the same with an estimate; undefined: it is on its way */
  readonly estimate: (() => void) | undefined;
  /** asks again, where there was no answer */
  retry(): void;
}

const none: readonly SpecProblem[] = [];

/**
 * @param key what the plan depends on
 * @param ask asks the server
 */
export function usePlan(key: string, ask: (withEstimate: boolean) => Promise<RunPlan>): Planned {
  const newest = useRef({ ask, turn: 0 });
  newest.current.ask = ask;
  const [state, setState] = useState<Omit<Planned, 'estimate' | 'retry'>>({
    plan: undefined,
    wasEstimated: false,
    problems: none,
    error: undefined,
    isPending: true,
  });
  const [isEstimating, setEstimating] = useState(false);
  const run = async (withEstimate: boolean): Promise<void> => {
    const turn = (newest.current.turn += 1);
    try {
      const plan = await newest.current.ask(withEstimate);
      if (turn === newest.current.turn)
        setState({ plan, wasEstimated: withEstimate, problems: none, error: undefined, isPending: false });
    } catch (error) {
      if (turn !== newest.current.turn) return;
      const problems = readProblems(detailsOf(error));
      setState((old) => ({
        ...old,
        problems,
        error: problems.length > 0 ? undefined : error,
        isPending: false,
      }));
    } finally {
      if (withEstimate) setEstimating(false);
    }
  };
  useEffect(() => {
    setState((old) => ({ ...old, isPending: true }));
    const timer = window.setTimeout(() => void run(false), 600);
    return () => {
      window.clearTimeout(timer);
      newest.current.turn += 1;
    };
  }, [key]);
  const estimate = (): void => {
    setEstimating(true);
    void run(true);
  };
  const retry = (): void => {
    setState((old) => ({ ...old, isPending: true }));
    void run(false);
  };
  return { ...state, estimate: isEstimating ? undefined : estimate, retry };
}
