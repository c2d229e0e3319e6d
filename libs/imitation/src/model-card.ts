/** @file Writes the model card (README) of a warm-started model: architecture, training, results. */
import { basename, isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { WarmStartSpec } from '@espalier/contracts';
import { describeModelChoice, isModelChoice } from '@espalier/contracts/model-choice';
import type { ModelConfig } from '@espalier/model';
import type { Demonstration } from './demonstration.js';
import type { DemonstrationResult, Rate } from './demonstration-check.js';
import { countParameters } from './disk-space.js';
import { highestPerplexityFactor, type Perplexity } from './perplexity.js';

export interface ModelCardData {
  readonly spec: WarmStartSpec;
  readonly demonstrations: readonly Demonstration[];
  /** empty before the model is evaluated */
  readonly results: readonly DemonstrationResult[];
  /** of a pretrained student */
  readonly perplexity?: Perplexity;
  readonly config: ModelConfig;
  readonly steps: number;
  /** tokens seen, prompts included */
  readonly tokens: number;
  /** success rate of the teacher, per demonstration */
  readonly teacherSuccess: readonly number[];
  /** the command that reproduces the model */
  readonly command: string;
}

const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
const withInterval = ({ value, low, high }: Rate) =>
  `${percent(value)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
const millions = (count: number) => `${(count / 1e6).toFixed(1)} million`;
const tokenCount = (count: number) =>
  count < 999_500 ? `${Math.round(count / 1000)} thousand` : millions(count);

function describeOrigin(model: WarmStartSpec['model']): string {
  if (isModelChoice(model)) {
    const name = describeModelChoice(model);
    return `Continued from \`${isAbsolute(name) ? basename(name) : name}\`.`;
  }
  const { hiddenSize, layers, heads, keyValueHeads, intermediateSize, vocabularySize, contextLength } = model;
  return (
    `Width ${hiddenSize}, ${layers} layers, ${heads} query heads, ${keyValueHeads} key/value heads, feed-forward ${intermediateSize}, ` +
    `vocabulary ${vocabularySize}, context ${contextLength} tokens, tied head.`
  );
}

/** A new model is a Llama; one that goes on keeps its family. */
const describeFamily = ({ model }: WarmStartSpec, { family }: ModelConfig): string =>
  isModelChoice(model) ? `${family.modelType} transformer` : 'Llama-style transformer';

const describeAdapters = ({ lora }: WarmStartSpec): string =>
  lora === undefined
    ? ''
    : ` Trained as adapters (LoRA, rank ${lora.rank}, alpha ${lora.alpha}), which are merged into its weights.`;

const describeTokenizer = (model: WarmStartSpec['model']): string =>
  isModelChoice(model)
    ? 'The tokenizer is that of the model\nit continues; unknown words are encoded in smaller pieces, at worst byte by byte.'
    : "The tokenizer is a byte-level BPE trained on the demonstrations' own\ntext; fixed sentences of the prompt format are single tokens, grid symbols and digits are never merged.";

/** What makes a demonstration different from the defaults of its environment. */
function describeVariant({ environment, params, prompt, limits }: Demonstration): string {
  const defaults = environment.params.safeParse({});
  const usual = (defaults.success ? defaults.data : {}) as Readonly<Record<string, unknown>>;
  const options = Object.entries(params as object).flatMap(([name, value]) =>
    isDeepStrictEqual(value, usual[name]) ? [] : [`\`${name}: ${JSON.stringify(value)}\``],
  );
  const { maxActionsPerTurn } = limits;
  if (maxActionsPerTurn !== environment.limits(params).maxActionsPerTurn)
    options.push(`up to ${maxActionsPerTurn} actions a reply`);
  if (prompt.format.thinking === 'none') options.push('without thoughts');
  return options.join(', ') || '–';
}

/** What the model still knows of ordinary language. */
function describeSpeech(perplexity: Perplexity | undefined): string {
  if (perplexity === undefined) return '';
  const { before, now } = perplexity;
  const isHigh = now / before > highestPerplexityFactor;
  const warning = isHigh
    ? ` It has begun to forget how to speak: the factor is above ${highestPerplexityFactor}.`
    : '';
  return `## What it has kept

Perplexity per token of a neutral English text that ships with Espalier and that no training sees: ${before.toFixed(1)} before the
warm start, ${now.toFixed(1)} after it (a factor of ${(now / before).toFixed(2)}).${warning}

`;
}

/** Writes the model card in Markdown. */
export function writeModelCard({ spec, demonstrations, results, ...card }: ModelCardData): string {
  const rows = demonstrations.map((demonstration, i) => {
    const result = results.find(({ demonstration: name }) => name === demonstration.name);
    const measured = result ? `${withInterval(result.success)} | ${withInterval(result.format)}` : '– | –';
    return `| ${demonstration.name} | ${describeVariant(demonstration)} | ${measured} | ${percent(card.teacherSuccess[i] ?? 0)} |`;
  });
  const data = demonstrations.map(
    ({ name, spec: { noise, actionsPerTurn }, share }) =>
      `| ${name} | ${percent(share)} | ${noise} | ${actionsPerTurn} |`,
  );
  const { provider, precision } = spec.device;
  const [measured] = results;
  const setting = measured
    ? `Temperature 1, ${measured.episodes} validation seeds per environment, 95 % Wilson intervals.`
    : 'Not evaluated yet: the model is unfinished, or its last check is pending.';
  return `# ${spec.name}

A ${describeFamily(spec, card.config)} of ${millions(countParameters(card.config))} parameters that uses Espalier's prompt format
(\`<think>…</think><answer>…</answer>\`) in a few small environments. It imitates a teacher that errs on purpose, so it
is competent but far from perfect: a starting point for reinforcement learning, not for use elsewhere.

## What it can do

${setting}

| Environment | Options | Success | Replies in the required format | Its teacher's success |
|---|---|---|---|---|
${rows.join('\n')}

${describeSpeech(card.perplexity)}## How it was trained

${describeOrigin(spec.model)}${describeAdapters(spec)}

| Demonstration | Share of tokens | Random actions of the teacher | Actions per reply, at most |
|---|---|---|---|
${data.join('\n')}

${tokenCount(card.tokens)} tokens in ${card.steps} optimizer steps of about ${spec.batchTokens} tokens; the loss is the mean negative
log-likelihood of the teacher's tokens. AdamW, learning rate ${spec.optimizer.learningRate}, ${spec.optimizer.schedule.kind} schedule,
seed ${spec.seed}${provider === 'cpu' ? '' : `, on a GPU in ${precision}`}. Initial states come from the train split; training never sees validation states. ${describeTokenizer(spec.model)}

Reproduce it with:

\`\`\`
${card.command}
\`\`\`
`;
}
