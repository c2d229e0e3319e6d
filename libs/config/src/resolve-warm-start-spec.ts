import { continuedWarmStartSchema, type WarmStartSpec, warmStartSpecSchema } from '@espalier/contracts';
import { isModelChoice, type ModelChoice, modelKeys } from '@espalier/contracts/model-choice';
import { type PromptChoice, resolvePrompt } from '@espalier/contracts/prompt-format';
import { isRecord } from '@espalier/contracts/values';
import { baseBudgets, driverBudgets, type Finding, tooLongContext, tooLongReply } from './budgets.js';
import { deepFreeze, quote } from './json.js';
import type { ConfigInput } from './load-config.js';
import { resolveModelChoice, resolvePlugin } from './plugin-options.js';
import {
  asConfigInput,
  describeIssues,
  inputSchema,
  keysAt,
  locate,
  type Problem,
  throwProblems,
} from './problems.js';
import type { ModelLimits, PluginRegistry } from './registry.js';
import { specHash } from './spec-hash.js';

/** What is known of an existing model. */
type Student = Partial<Pick<ModelLimits, 'promptPreset' | 'contextLength'>>;

/**
 * Resolves the configuration of a warm start: core defaults, the options of each environment, and those of an existing
 * model. `student` says what is known of the existing model: a pretrained one gets its prompt and a smaller learning rate,
 * and prompts must fit into its context.
 *
 * @throws config.unknown_key, config.wrong_type, config.impossible_budget, plugin.not_found
 */
export function resolveWarmStartSpec(
  input: ConfigInput | Readonly<Record<string, unknown>>,
  registry: PluginRegistry,
  student: Student = {},
): { readonly spec: WarmStartSpec; readonly hash: string } {
  const written = asConfigInput(input);
  const chosen = written.value['model'];
  const usesExistingModel = isRecord(chosen) && modelKeys.some((key) => key in chosen);
  const schema = usesExistingModel ? continuedWarmStartSchema : warmStartSpecSchema;
  const parsed = schema.safeParse(written.value);
  const problems: Problem[] = [];
  if (!parsed.success)
    problems.push(...describeIssues(written, [], schema, written.value, parsed.error.issues));
  if (usesExistingModel) rejectShape(written, chosen, problems);
  const given = written.value['demonstrations'];
  const demonstrations = Array.isArray(given) ? (given as unknown[]) : [];
  const environments = demonstrations.map((demonstration, index) => {
    const chosen = isRecord(demonstration) ? demonstration['environment'] : undefined;
    if (!isRecord(chosen) || typeof chosen['use'] !== 'string') return { environment: { use: '' } };
    const choice = {
      kind: 'environment' as const,
      path: ['demonstrations', String(index), 'environment'],
      chosen: { ...chosen, use: chosen['use'] },
      coreKeys: [],
    };
    const { options, preset } = resolvePlugin(written, registry, choice, problems);
    return { environment: { use: chosen['use'], ...options }, limits: preset?.limits };
  });
  const model =
    usesExistingModel && problems.length === 0
      ? resolveModelChoice(written, registry, parsed.data?.model ?? chosen, problems)
      : undefined;
  throwProblems(problems, { isWarmStart: true });
  if (parsed.data === undefined)
    throw new TypeError('resolveWarmStartSpec: a failed parse without a problem');
  throwProblems([
    ...findImpossible(parsed.data, student, (path) => locate(written, path)),
    ...findUntaughtParts(written, given),
  ]);
  const spec: WarmStartSpec = {
    ...parsed.data,
    model: model ?? parsed.data.model,
    optimizer: { ...parsed.data.optimizer, ...learningRateOf(written, student) },
    demonstrations: parsed.data.demonstrations.map((demonstration, index) => ({
      ...demonstration,
      rollout: {
        ...environments[index]?.limits,
        ...demonstration.rollout,
        prompt: resolvePrompt(promptOf(given, index), student.promptPreset),
      },
      environment: environments[index]?.environment ?? demonstration.environment,
    })),
  };
  return { spec: deepFreeze(spec), hash: specHash(spec) };
}

/** Oracles explain in one sentence, so demonstrations have no parts of a think block. */
function findUntaughtParts(written: ConfigInput, demonstrations: unknown): Problem[] {
  return (demonstrations as readonly unknown[]).flatMap((_, index) => {
    const { thinkStyle = 'free' } = promptOf(demonstrations, index);
    if (thinkStyle === 'free') return [];
    const path = `demonstrations.${index}.rollout.prompt.thinkStyle`;
    const sentence = `demonstrations are made of an oracle's explanation, which has no parts as ${thinkStyle} demands; use free, and let format-shaping teach the parts`;
    return [
      { code: 'config.impossible_budget', path, message: `${locate(written, path)}: ${path}: ${sentence}` },
    ];
  });
}

/** The prompt of a demonstration as it was written. */
function promptOf(demonstrations: unknown, index: number): PromptChoice {
  const written = (demonstrations as { rollout?: { prompt?: PromptChoice } }[])[index];
  return written?.rollout?.prompt ?? {};
}

/** With all weights of a pretrained model trained, higher rates make it forget; adapters need more. */
const pretrainedLearningRate = 5e-5;

function learningRateOf(
  { value }: ConfigInput,
  { promptPreset }: Student,
): { readonly learningRate?: number } {
  const written = (value['optimizer'] as { learningRate?: number } | undefined)?.learningRate;
  const isWhole = promptPreset === 'plain' && value['lora'] === undefined;
  return isWhole && written === undefined ? { learningRate: pretrainedLearningRate } : {};
}

/** Rejects a shape next to the name of an existing model, which has its own. */
function rejectShape(
  written: ConfigInput,
  chosen: Readonly<Record<string, unknown>>,
  problems: Problem[],
): void {
  const naming = modelKeys.find((key) => key in chosen) ?? 'use';
  for (const key of Object.keys(chosen).filter((name) => shapeKeys.has(name))) {
    const path = `model.${key}`;
    problems.push({
      code: 'config.impossible_budget',
      path,
      message: `${locate(written, path)}: ${path}: the model ${quote(chosen[naming])} already has a shape; remove this key, or ${naming}`,
    });
  }
}

const shapeKeys = new Set(keysAt(inputSchema(warmStartSpecSchema), ['model']));

function findImpossible(
  spec: Pick<WarmStartSpec, 'model' | 'microBatchTokens' | 'lora' | 'device' | 'demonstrations'>,
  student: Student,
  locateKey: (path: string) => string,
): Problem[] {
  const { model, lora, device, demonstrations } = spec;
  const { contextLength } = isModelChoice(model) ? student : model;
  const found = [
    ...baseBudgets({ lora, device }),
    ...driverBudgets({ device }),
    ...(isModelChoice(model) ? [] : shapeBudgets(model, spec)),
    ...demonstrations.flatMap(({ rollout }, index) =>
      contextBudgets(`demonstrations.${index}.rollout`, rollout, contextLength),
    ),
  ];
  return found.map(([path, sentence]) => ({
    code: 'config.impossible_budget',
    path,
    message: `${locateKey(path)}: ${sentence}`,
  }));
}

/** What is wrong with the tokens of a prompt and its reply. */
function contextBudgets(
  path: string,
  {
    contextTokens,
    maxResponseTokens,
  }: Pick<WarmStartSpec['demonstrations'][number]['rollout'], 'contextTokens' | 'maxResponseTokens'>,
  contextLength = Infinity,
): Finding[] {
  if (contextTokens !== undefined && contextTokens > contextLength)
    return [tooLongContext(`${path}.contextTokens`, contextTokens, contextLength)];
  const context = contextTokens ?? contextLength;
  return maxResponseTokens < context
    ? []
    : [tooLongReply(`${path}.maxResponseTokens`, maxResponseTokens, context)];
}

function shapeBudgets(
  model: Exclude<WarmStartSpec['model'], ModelChoice>,
  { microBatchTokens, lora }: Pick<WarmStartSpec, 'microBatchTokens' | 'lora'>,
): Finding[] {
  const found: Finding[] = [];
  const { hiddenSize, heads, keyValueHeads, contextLength } = model;
  if (lora !== undefined)
    found.push([
      'lora',
      'lora: the weights of a new model are random, and adapters would leave them so; remove this section, or name an existing model',
    ]);
  if (hiddenSize % (2 * heads) !== 0) {
    found.push([
      'model.heads',
      `model.heads ${heads}: hiddenSize ${hiddenSize} cannot be split into ${heads} heads of even width; choose another number`,
    ]);
  }
  if (heads % keyValueHeads !== 0) {
    found.push([
      'model.keyValueHeads',
      `model.keyValueHeads ${keyValueHeads}: does not divide ${heads} heads; choose a divisor`,
    ]);
  }
  if (microBatchTokens < contextLength) {
    found.push([
      'microBatchTokens',
      `microBatchTokens ${microBatchTokens}: a sequence may have ${contextLength} tokens; raise it`,
    ]);
  }
  return found;
}
