/** The page of metrics: what the engine declares, what plugins declare, and the patterns of names that plugins choose. */
import { definedMetrics } from '@espalier/contracts';
import '@espalier/trainer';
import { row } from './markdown.mjs';

/** The page in Markdown, without its heading. */
export function describeMetrics(registry) {
  const areas = new Map();
  for (const metric of [...definedMetrics(), ...pluginMetrics(registry)]) {
    const area = metric.name.split('/')[0];
    areas.set(area, [...(areas.get(area) ?? []), metric]);
  }
  const parts = [...areas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, metrics]) =>
      [
        `## ${area}`,
        '',
        row('name', 'unit', 'formula'),
        row('---', '---', '---'),
        ...metrics.map(({ name, unit, formula }) => row(`\`${name}\``, unit, formula)),
      ].join('\n'),
    );
  return [
    'Every number a run reports, as rows of `metrics.jsonl`. Plugins bring numbers of their own: `<id>` is the name behind `use:`, `<name>` one that the plugin chooses.',
    ...parts,
  ];
}

const perReward = {
  'reward/<id>': [
    'reward',
    'mean over trajectories of the sum over turns of what the reward gives, before its weight',
  ],
  'reward/<id>/<name>': ['of the plugin', 'mean over trajectories of a number of the reward plugin'],
};
const perEnvironment = {
  'environment/<name>': ['of the plugin', 'mean over actions of a number of the environment plugin'],
};

/** In training under their own names, in validation behind `validation/`. */
function pluginMetrics(registry) {
  const plugins = [...registry.list()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const declared = plugins.flatMap(({ kind, id, metrics = {} }) =>
    Object.entries(metrics).map(([name, { unit, formula }]) =>
      kind === 'reward'
        ? [`reward/${id}/${name}`, unit, `mean over trajectories of: ${formula}`]
        : [`environment/${name}`, unit, `${id}: mean over actions of: ${formula}`],
    ),
  );
  const patterns = Object.entries({ ...perEnvironment, ...perReward }).map(([name, rest]) => [name, ...rest]);
  return ['', 'validation/'].flatMap((prefix) =>
    [...patterns, ...declared].map(([name, unit, formula]) => ({ name: `${prefix}${name}`, unit, formula })),
  );
}
