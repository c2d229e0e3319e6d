/** @file Progress of a warm start, and its rendering as a line. */
import type { DemonstrationResult, Rate } from './demonstration-check.js';
import { describePerplexity, type Perplexity } from './perplexity.js';

export type WarmStartProgress =
  | {
      readonly kind: 'started';
      readonly parameterCount: number;
      readonly vocabularySize: number;
      readonly steps: number;
      readonly resumedAt: number;
      /** of the held-out text, before the first step of a pretrained student */
      readonly perplexity?: number;
    }
  | {
      readonly kind: 'step';
      readonly step: number;
      readonly steps: number;
      readonly tokens: number;
      readonly totalTokens: number;
      readonly learningRate: number;
      readonly gradientNorm: number;
      /** mean negative log-likelihood per demonstration, nats */
      readonly losses: Readonly<Record<string, number>>;
      readonly tokensPerSecond: number;
      /** share of the step spent on playing and recording episodes */
      readonly teacherShare: number;
      readonly etaSeconds: number;
    }
  | {
      readonly kind: 'validated';
      readonly tokens: number;
      readonly results: readonly DemonstrationResult[];
      readonly seconds: number;
      readonly perplexity?: Perplexity;
    }
  | { readonly kind: 'saved'; readonly folder: string; readonly bytes: number };

const percent = ({ value, low, high }: Rate) =>
  `${(100 * value).toFixed(1)} % [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;

/** `640`, `82k`, `1.25M` */
function count(tokens: number): string {
  if (tokens < 1000) return `${tokens}`;
  return tokens < 999_500 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1e6).toFixed(2)}M`;
}

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes >= 60
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : minutes > 0
      ? `${minutes} min`
      : `${Math.round(seconds)} s`;
}

/** Writes an event as one line (validations: one line per demonstration). */
export function describeProgress(event: WarmStartProgress): string {
  switch (event.kind) {
    case 'started': {
      const from = event.resumedAt > 0 ? `, resuming at step ${event.resumedAt}` : '';
      const speech =
        event.perplexity === undefined
          ? ''
          : `; held-out perplexity ${event.perplexity.toFixed(1)} before it`;
      return `model: ${event.parameterCount} parameters, vocabulary ${event.vocabularySize}; ${event.steps} steps${from}${speech}`;
    }
    case 'step': {
      const losses = Object.entries(event.losses).map(([name, loss]) => `${name} ${loss.toFixed(3)}`);
      return (
        `step ${event.step}/${event.steps}  ${count(event.tokens)} tokens  loss ${losses.join(', ')}  ` +
        `grad ${event.gradientNorm.toFixed(2)}  lr ${event.learningRate.toExponential(1)}  ${Math.round(event.tokensPerSecond)} tokens/s ` +
        `(teacher ${Math.round(100 * event.teacherShare)} %)  ETA ${duration(event.etaSeconds)}`
      );
    }
    case 'validated': {
      const speech = event.perplexity === undefined ? [] : [describePerplexity(event.perplexity)];
      const lines = event.results.map((result) => {
        const reply = JSON.stringify(result.reply);
        return (
          `validation at ${count(event.tokens)} tokens: ${result.demonstration} success ${percent(result.success)}, ` +
          `format ${percent(result.format)}, ${result.episodes} episodes; e.g. ${reply}`
        );
      });
      return [...lines, ...speech].join('\n');
    }
    case 'saved':
      return `saved ${event.folder} (${(event.bytes / 1e6).toFixed(1)} MB of weights)`;
    default:
      return event satisfies never;
  }
}
