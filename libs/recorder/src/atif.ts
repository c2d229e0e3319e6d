/**
 * @file A trajectory as ATIF-v1.8, the format of Harbor for what agents did: a step of the user for each observation, one of the
 * agent for each reply, with the ids and log-probabilities that were sampled. Checked against the models of `harbor` 0.26.
 */
import type { Trajectory, Turn } from '@espalier/contracts';

export interface AtifContext {
  /** version of Espalier */
  readonly version: string;
  /** name of the model that the run began from */
  readonly model: string;
  /** name of the run */
  readonly run: string;
}

/** Describes a trajectory in ATIF; what the format has no field for is in `extra`. */
export function toAtif(trajectory: Trajectory, { version, model, run }: AtifContext): object {
  const { id, environment, turns, score, success, stopReason, error, seeds, split, step } = trajectory;
  const calls = turns.map((turn) => describeCall(trajectory, turn));
  const steps = turns.flatMap((turn, at) => [
    { source: 'user', message: turn.observation },
    describeReply(turn, calls[at] as Call, score.perTurn[turn.index]),
  ]);
  const sum = (of: (call: Call) => number): number => calls.reduce((total, call) => total + of(call), 0);
  return {
    schema_version: 'ATIF-v1.8',
    session_id: run,
    trajectory_id: id,
    agent: { name: 'espalier', version, model_name: model, extra: { environment } },
    // the format wants at least one step: an episode that failed before its first turn says why
    steps: (steps.length === 0 ? [{ source: 'system', message: error ?? stopReason }] : steps).map(
      (one, at) => ({ step_id: at + 1, ...one }),
    ),
    final_metrics: {
      total_prompt_tokens: sum(({ prompt_token_ids }) => prompt_token_ids.length),
      total_completion_tokens: sum(({ completion_token_ids }) => completion_token_ids.length),
      total_steps: Math.max(1, steps.length),
      extra: { reward: score.total, rewards: score.rewards, format_penalty: score.formatPenalty },
    },
    extra: {
      split,
      step,
      success,
      stop_reason: stopReason,
      ...(error === undefined ? {} : { error }),
      labels: trajectory.labels.map(({ name }) => name),
      seeds,
    },
  };
}

type Call = ReturnType<typeof describeCall>;

/** What the model was given, all of its window up to the reply, and what it sampled. */
function describeCall({ tokens, logprobs, windows = [] }: Trajectory, { sampled: { start, end } }: Turn) {
  const begin = windows.findLast((window) => window.start <= start)?.start ?? 0;
  return {
    prompt_tokens: start - begin,
    completion_tokens: end - start,
    prompt_token_ids: [...tokens.subarray(begin, start)],
    completion_token_ids: [...tokens.subarray(start, end)],
    logprobs: [...logprobs.subarray(start, end)],
  };
}

function describeReply(turn: Turn, metrics: Call, scored: number | undefined): object {
  const { think, answer, response, actions, reward, policyVersion, formatValid, sampleStop } = turn;
  return {
    source: 'agent',
    message: think === '' ? response : answer,
    ...(think === '' ? {} : { reasoning_content: think }),
    llm_call_count: 1,
    metrics,
    extra: {
      response,
      actions: actions.map(({ text, valid, effective }) => ({ text, valid, effective })),
      reward,
      ...(scored === undefined ? {} : { score: scored }),
      format_valid: formatValid,
      stop: sampleStop,
      policy_version: policyVersion,
    },
  };
}
