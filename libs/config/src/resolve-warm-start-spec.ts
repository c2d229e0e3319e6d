import { type WarmStartSpec, warmStartSpecSchema } from '@espalier/contracts';
import { deepFreeze, isRecord } from './json.js';
import type { ConfigInput } from './load-config.js';
import { resolvePlugin } from './plugin-options.js';
import { asConfigInput, describeIssues, placeOf, type Problem, throwProblems } from './problems.js';
import type { PluginRegistry } from './registry.js';
import { specHash } from './spec-hash.js';

/**
 * Resolves the configuration of a warm start: core defaults and the options of each lesson's environment.
 *
 * @throws config.unknown_key, config.wrong_type, config.impossible_budget, plugin.not_found
 */
export function resolveWarmStartSpec(
  input: ConfigInput | Readonly<Record<string, unknown>>,
  registry: PluginRegistry,
): { readonly spec: WarmStartSpec; readonly hash: string } {
  const written = asConfigInput(input);
  const parsed = warmStartSpecSchema.safeParse(written.value);
  const problems: Problem[] = [];
  if (!parsed.success)
    problems.push(...describeIssues(written, [], warmStartSpecSchema, written.value, parsed.error.issues));
  const given: unknown = parsed.data?.lessons ?? written.value['lessons'];
  const lessons = Array.isArray(given) ? (given as unknown[]) : [];
  const environments = lessons.map((lesson, index) => {
    const chosen = isRecord(lesson) ? lesson['environment'] : undefined;
    if (!isRecord(chosen) || typeof chosen['use'] !== 'string') return { use: '' };
    const choice = {
      kind: 'environment' as const,
      path: ['lessons', String(index), 'environment'],
      chosen: { ...chosen, use: chosen['use'] },
      coreKeys: [],
    };
    return { use: chosen['use'], ...resolvePlugin(written, registry, choice, problems).options };
  });
  throwProblems(problems);
  if (parsed.data === undefined)
    throw new TypeError('resolveWarmStartSpec: a failed parse without a problem');
  throwProblems(findImpossible(parsed.data, 'model' in written.value, (path) => placeOf(written, path)));
  const spec: WarmStartSpec = {
    ...parsed.data,
    lessons: parsed.data.lessons.map((lesson, index) => ({
      ...lesson,
      environment: environments[index] ?? lesson.environment,
    })),
  };
  return { spec: deepFreeze(spec), hash: specHash(spec) };
}

function findImpossible(
  { model, microBatchTokens, from }: WarmStartSpec,
  isShapeGiven: boolean,
  place: (path: string) => string,
): Problem[] {
  const found: [path: string, sentence: string][] = [];
  const { hiddenSize, heads, keyValueHeads, contextLength } = model;
  if (from !== undefined && isShapeGiven) {
    found.push(['model', `model: \`from\` brings its own shape, that of ${from}; remove one of the two`]);
  }
  if (from === undefined && hiddenSize % (2 * heads) !== 0) {
    found.push([
      'model.heads',
      `model.heads ${heads}: hiddenSize ${hiddenSize} does not divide into ${heads} heads of even width; choose another number`,
    ]);
  }
  if (from === undefined && heads % keyValueHeads !== 0) {
    found.push([
      'model.keyValueHeads',
      `model.keyValueHeads ${keyValueHeads}: does not divide ${heads} heads; choose a divisor`,
    ]);
  }
  if (from === undefined && microBatchTokens < contextLength) {
    found.push([
      'microBatchTokens',
      `microBatchTokens ${microBatchTokens}: one sequence may have ${contextLength} tokens; raise it`,
    ]);
  }
  return found.map(([path, sentence]) => ({
    code: 'config.impossible_budget',
    path,
    message: `${place(path)}: ${sentence}`,
  }));
}
