/**
 * @file The curriculum of an environment: each level is the environment with some options changed, checked by the
 * environment's own schema. A resolved level holds only what differs from its environment.
 */
import type { CurriculumSpec } from '@espalier/contracts/mixing';
import { canonicalJson, isRecord } from '@espalier/contracts/values';
import { isolationKeys } from './isolation.js';
import { joinPath } from './json.js';
import type { ConfigInput } from './load-config.js';
import { resolvePlugin, type ResolvedPlugin } from './plugin-options.js';
import { locate, type Problem } from './problems.js';
import { limitsOf } from './presets.js';
import type { PluginRegistry } from './registry.js';
import type { Section } from './sections.js';

export const limitKeys = ['maxTurns', 'maxActions', 'maxActionsPerTurn'] as const;
type Limits = { readonly [Key in (typeof limitKeys)[number]]?: number | undefined };

/** Resolves the environment of every level of a section, by its path. */
export function resolveLevels(
  written: ConfigInput,
  { path, value }: Section,
  registry: PluginRegistry,
  problems: Problem[],
): Map<string, ResolvedPlugin> {
  const found = new Map<string, ResolvedPlugin>();
  const { environment, curriculum } = value;
  const levels = isRecord(curriculum) && Array.isArray(curriculum['levels']) ? curriculum['levels'] : [];
  if (!isRecord(environment) || typeof environment['use'] !== 'string') return found;
  const { use } = environment;
  const base = Object.fromEntries(
    Object.entries(environment).filter(([key]) => !isolationKeys.includes(key)),
  );
  levels.forEach((level: unknown, index) => {
    const own = isRecord(level) ? (level['environment'] ?? {}) : undefined;
    if (!isRecord(own)) return; // the core reports it
    const at = [...path, 'curriculum', 'levels', String(index), 'environment'];
    const fixed = ['use', ...isolationKeys].find((key) => Object.hasOwn(own, key));
    if (fixed !== undefined) {
      const where = joinPath([...at, fixed]);
      problems.push({
        code: 'config.unknown_key',
        path: where,
        message: `${locate(written, where)}: ${where}: a level changes options of ${use}, not ${fixed}; remove it, or train several environments with \`environments\``,
      });
      return;
    }
    const choice = {
      kind: 'environment' as const,
      path: at,
      chosen: { ...base, ...own, use },
      coreKeys: [],
    };
    found.set(joinPath(at), resolvePlugin(written, registry, choice, problems));
  });
  return found;
}

/**
 * Completes the levels of a curriculum: what differs from the environment, and limits that follow from it.
 *
 * @param section where the environment stands: empty, or `environments.<tag>.`
 * @param written limits of the run or the tag
 */
export function completeCurriculum(
  curriculum: CurriculumSpec | undefined,
  section: string,
  resolved: ReadonlyMap<string, ResolvedPlugin>,
  written: Limits,
): { readonly curriculum?: CurriculumSpec } {
  if (curriculum === undefined) return {};
  const at = (path: string) => {
    const found = resolved.get(`${section}${path}`) ?? { plugin: undefined, options: {} };
    return { options: found.options, limits: limitsOf(found) };
  };
  const base = at('environment');
  const levels = curriculum.levels.map((level, index) => {
    const own = at(`curriculum.levels.${index}.environment`);
    const changed = Object.entries(own.options).filter(
      ([key, value]) => canonicalJson(value) !== canonicalJson(base.options[key]),
    );
    const follows = limitKeys.filter(
      (key) => level[key] === undefined && written[key] === undefined && own.limits[key] !== base.limits[key],
    );
    return {
      ...level,
      environment: Object.fromEntries(changed),
      ...Object.fromEntries(follows.map((key) => [key, own.limits[key]])),
    };
  });
  return { curriculum: { ...curriculum, levels } };
}
