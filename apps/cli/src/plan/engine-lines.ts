/** @file What a plan says about the server of a run: how losses reach it, and what it says of itself if it answers. */
import type { RunSpec } from '@espalier/contracts';
import { listAlgorithms } from '@espalier/contracts/mixing';
import { isAppError } from '@espalier/contracts';
import { describeLosses, keyFor, type ProbedServer, probeServer } from '@espalier/tinker';
import { paramsOf } from '@espalier/trainer';
import type { Registry } from '../workspace.js';

/** How long a plan waits for a server. */
const patienceMs = 3000;

export interface EnginePlan {
  readonly url: string;
  readonly model: string;
  /** a sentence each */
  readonly losses: readonly string[];
  /** what the server says of itself; absent: it did not answer */
  readonly server?: Pick<ProbedServer, 'contextLength' | 'isOurs'>;
}

/**
 * Plans the engine of a run; undefined for the embedded one.
 *
 * @returns the plan, and what to warn of
 * @throws engine.* when the server answers that it cannot do this run
 */
export async function planEngine(
  spec: RunSpec,
  registry: Registry,
): Promise<{ readonly engine: EnginePlan | undefined; readonly warnings: readonly string[] }> {
  const { engine } = spec;
  if (engine === undefined) return { engine: undefined, warnings: [] };
  const algorithms = listAlgorithms(spec).map(({ chosen }) => ({
    algorithm: registry.get('algorithm', chosen.use),
    params: paramsOf(chosen),
  }));
  const { url, model } = engine;
  const planWith = (takesGraphs: boolean): EnginePlan => {
    const losses = algorithms.flatMap(({ algorithm, params }) =>
      describeLosses(engine, algorithm.policyLoss(params), algorithm.needs(params), takesGraphs),
    );
    return { url, model, losses: [...new Set(losses)] };
  };
  const ofLora = (isOurs: boolean): string[] =>
    spec.lora === undefined && !isOurs
      ? [
          'lora is absent: all weights are to be trained, which most servers cannot do; `lora: {}` trains adapters',
        ]
      : [];
  try {
    const { temperature } = spec.rollout;
    const server = await probeServer({ url, model, apiKey: keyFor(url), patienceMs, temperature });
    const wanted = spec.rollout.contextTokens;
    const short =
      server.contextLength !== undefined && wanted !== undefined && server.contextLength < wanted
        ? [`rollout.contextTokens ${wanted}: the server takes ${server.contextLength} tokens; lower it`]
        : [];
    return {
      engine: { ...planWith(server.takesGraphs), server },
      warnings: [...ofLora(server.isOurs), ...short],
    };
  } catch (error) {
    if (!isAppError(error) || !['engine.unreachable', 'engine.overloaded'].includes(error.code)) throw error;
    const sentence = `${url} does not answer now, so what depends on the server is checked when the run starts`;
    return { engine: planWith(false), warnings: [...ofLora(false), sentence] };
  }
}

/** Lines of a plan. */
export function engineLines({ url, model, losses, server }: EnginePlan): string[] {
  const kind = server === undefined ? '' : server.isOurs ? ', an espalier engine' : '';
  const context = server?.contextLength === undefined ? '' : `, context ${server.contextLength}`;
  return [
    `server      ${model} at ${url}${kind}${context}`,
    ...losses.map((sentence) => `losses      ${sentence}`),
  ];
}
