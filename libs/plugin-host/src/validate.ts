/**
 * @file Validates the default export of a plugin package. Every error names the package and says what to write instead.
 */
import { AppError, type ErrorCode, lossAggregations } from '@espalier/contracts';
import { kitVersion } from '@espalier/plugin-kit';
import type { AnyDefinition, PluginKind, PluginSource } from './plugin-types.js';
import { isInRange } from './kit-version.js';

/** The function that defines each kind, and the functions that its argument must have. */
const kinds: Readonly<Record<PluginKind, { readonly maker: string; readonly functions: readonly string[] }>> =
  {
    environment: { maker: 'defineEnvironment', functions: ['instruction', 'limits', 'create'] },
    reward: { maker: 'defineReward', functions: ['score'] },
    algorithm: {
      maker: 'defineAlgorithm',
      functions: ['needs', 'keptShare', 'select', 'advantages', 'policyLoss'],
    },
    model: { maker: 'defineModel', functions: ['folder'] },
  };

/**
 * Checks the default export of a package: one definition, or an array of them.
 *
 * @throws plugin.invalid_definition, plugin.version_mismatch
 */
export function validateExport(exported: unknown, source: PluginSource): AnyDefinition[] {
  const candidates = Array.isArray(exported) ? (exported as unknown[]) : [exported];
  if (exported === undefined || candidates.length === 0) {
    throw invalidDefinition(
      source,
      exported === undefined ? 'it has no default export' : 'its default export is an empty array',
      "write `export default defineEnvironment({ id: 'my-game', … })` (or defineReward, defineAlgorithm, defineModel)",
    );
  }
  return candidates.map((candidate) => validateDefinition(candidate, source));
}

function validateDefinition(candidate: unknown, source: PluginSource): AnyDefinition {
  if (typeof candidate !== 'object' || candidate === null) {
    throw invalidDefinition(
      source,
      `its default export is ${describe(candidate)}`,
      'export what defineEnvironment, defineReward, defineAlgorithm or defineModel returns',
    );
  }
  const fields = candidate as Record<string, unknown>;
  const kind = fields['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
    throw invalidDefinition(
      source,
      `its default export has kind ${describe(kind)}`,
      `expected one of ${Object.keys(kinds).join(', ')}: pass the object through defineEnvironment, defineReward, defineAlgorithm or defineModel`,
    );
  }
  const { maker, functions } = kinds[kind as PluginKind];
  const label = `${kind} ${describe(fields['id'])}`;
  const invalid = (finding: string, remedy: string): AppError =>
    invalidDefinition(source, `${label} ${finding}`, remedy);
  if (typeof fields['id'] !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(fields['id'])) {
    throw invalid('has no valid id', "write `id: 'my-game'`, lower-case words joined by hyphens");
  }
  if (typeof fields['summary'] !== 'string' || fields['summary'] === '') {
    throw invalid('has no summary', 'add `summary:` with one sentence for lists and forms');
  }
  const params = fields['params'] as { safeParse?: unknown } | undefined;
  if (typeof params?.safeParse !== 'function') {
    throw invalid(
      'has no params',
      'add `params: z.strictObject({ … })` from zod; `z.strictObject({})` when there are no options',
    );
  }
  const missing = functions.find((name) => typeof fields[name] !== 'function');
  if (missing !== undefined)
    throw invalid(`has no function "${missing}"`, `add \`${missing}\` to the object given to ${maker}`);
  const aggregation = fields['lossAggregation'];
  if (aggregation !== undefined && !lossAggregations.some((known) => known === aggregation))
    throw invalid(
      `has lossAggregation ${describe(aggregation)}`,
      `write one of ${lossAggregations.join(', ')}, or leave it out`,
    );
  validateKit(fields['kit'], label, source);
  return candidate as AnyDefinition;
}

function validateKit(range: unknown, label: string, source: PluginSource): void {
  const fits = typeof range === 'string' ? isInRange(kitVersion, range) : undefined;
  if (fits === true) return;
  const finding =
    fits === undefined
      ? `states the kit range ${describe(range)}, which cannot be parsed`
      : `was made for kit ${range as string}, but this is kit ${kitVersion}`;
  const remedy =
    fits === undefined
      ? `write \`kit: '^${kitVersion}'\``
      : `install a version of ${source.package} made for kit ${kitVersion}, or the Espalier version it was made for`;
  throw invalidDefinition(source, `${label} ${finding}`, remedy, 'plugin.version_mismatch');
}

function invalidDefinition(
  source: PluginSource,
  finding: string,
  remedy: string,
  code: ErrorCode = 'plugin.invalid_definition',
): AppError {
  return new AppError(
    code,
    `load plugin package "${source.package}" (${source.folder}): ${finding}; ${remedy}`,
    {
      details: { ...source },
    },
  );
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  return value === null || value === undefined
    ? String(value)
    : Array.isArray(value)
      ? 'an array'
      : `a ${typeof value}`;
}
