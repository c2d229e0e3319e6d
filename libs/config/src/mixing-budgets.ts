/**
 * @file Shares of a run in several environments that contradict each other.
 */
import type { DerivedNumbers, RunSpec } from '@espalier/contracts';
import type { Finding } from './budgets.js';
import type { CheckedEnvironment } from './inert.js';

/** Lists contradictions between the environments of a run. */
export function mixingBudgets(
  spec: RunSpec,
  derived: DerivedNumbers,
  environments: readonly CheckedEnvironment[],
): Finding[] {
  const isolations = isolationBudgets(environments);
  if (spec.environments === undefined) return isolations;
  const shares = shareBudgets(spec);
  return [...isolations, ...(shares.length > 0 ? shares : keptBudgets(spec, derived, environments))];
}

/** A plugin is opened once for all tags. */
function isolationBudgets(environments: readonly CheckedEnvironment[]): Finding[] {
  const seen = new Map<string, { readonly path: string; readonly written: string }>();
  return environments.flatMap(({ path, spec: { environment } }): Finding[] => {
    const { use, isolation = 'none', callTimeoutMs } = environment;
    const written = `isolation ${isolation}${callTimeoutMs === undefined ? '' : `, callTimeoutMs ${callTimeoutMs}`}`;
    const first = seen.get(use) ?? { path, written };
    seen.set(use, first);
    if (first.written === written) return [];
    return [
      [
        path,
        `${path}: ${use} with ${written}, but ${first.path} has it with ${first.written}; a plugin is opened once for all tags, so write the same for both`,
      ],
    ];
  });
}

function shareBudgets({ environments = {}, rollout }: RunSpec): Finding[] {
  const tags = Object.entries(environments);
  const stated = tags.filter(([, { groups }]) => groups !== undefined);
  const weighted = tags.find(([, { weight }]) => weight !== undefined);
  const [first] = stated;
  if (first === undefined) return [];
  const given = `environments.${first[0]}.groups ${first[1].groups}`;
  if (weighted !== undefined) {
    const [tag, { weight }] = weighted;
    return [
      [
        `environments.${tag}.weight`,
        `${given} and environments.${tag}.weight ${weight}: groups are numbers, weights share what there is; give every tag groups, or every tag a weight`,
      ],
    ];
  }
  const without = tags.find(([, { groups }]) => groups === undefined);
  if (without !== undefined) {
    const at = `environments.${without[0]}`;
    return [[at, `${at} has no groups, but ${given}; give every tag groups, or none`]];
  }
  const sum = stated.reduce((total, [, { groups = 0 }]) => total + groups, 0);
  if (sum === rollout.promptsPerStep) return [];
  const addends = stated.map(([, { groups }]) => groups).join(' + ');
  return [
    [
      'rollout.promptsPerStep',
      `rollout.promptsPerStep ${rollout.promptsPerStep}: the tags have ${addends} = ${sum} groups; choose ${sum}, change the groups, or leave rollout.promptsPerStep out`,
    ],
  ];
}

function keptBudgets(
  { environments = {}, rollout }: RunSpec,
  { tags = [] }: DerivedNumbers,
  checked: readonly CheckedEnvironment[],
): Finding[] {
  return checked.flatMap(({ tag = '', trained, select, spec: { algorithm } }): Finding[] => {
    if (!trained) return [];
    const { groups = 0, keptGroupsPerStep = 1 } = tags.find((own) => own.tag === tag) ?? {};
    const { weight = 1, groups: stated } = environments[tag] ?? {};
    if (groups < 1) {
      const at = `environments.${tag}.weight`;
      return [
        [
          at,
          `${at} ${weight}: gets 0 of the ${rollout.promptsPerStep} groups of rollout.promptsPerStep; raise one of them`,
        ],
      ];
    }
    if (keptGroupsPerStep >= 1) return [];
    const at = `environments.${tag}.${stated === undefined ? 'weight' : 'groups'}`;
    const option = Object.keys(select)[0];
    const where =
      option === undefined
        ? `options of algorithm, or environments.${tag}.select`
        : `environments.${tag}.select.${option}`;
    return [
      [
        at,
        `${at}: ${algorithm.use} keeps less than one of the ${groups} groups of ${tag} per step; give it more groups, or raise the share of groups kept (${where})`,
      ],
    ];
  });
}
