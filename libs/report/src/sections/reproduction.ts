/** @file What is needed to make the runs again. */
import { forgetDerived, specHash } from '@espalier/config/plain';
import { type Block, code, heading, note, paragraph, type Sentence } from '../document.js';
import type { ReportRun } from '../report-run.js';
import type { Sources } from '../sources.js';

/** Command, spec, seed, versions and hashes of each run. */
export function describeReproduction(runs: readonly ReportRun[], program: string, sources: Sources): Block[] {
  return [
    heading(2, 'How to reproduce', 'reproduce'),
    note(
      'Save a resolved spec to the file that the command names. With the same version, plugins and number of threads a run repeats bit for bit on the same kind of processor.',
    ),
    ...runs.map((run) => describeRun(run, program, sources)),
  ];
}

function describeRun(run: ReportRun, program: string, sources: Sources): Block {
  const { key, address, spec, origin } = run;
  const { host, gitRevision, versions, plugins } = origin;
  const known: Sentence[] = [
    ['seed ', sources.cite(run, { kind: 'setting', path: 'seed' })],
    ['made at ', code(address), ...(host === null ? [] : [' on ', code(host)])],
    ['sha256 of the spec ', code(specHash(spec))],
    gitRevision === null
      ? ['revision of the code: not recorded']
      : ['revision of the code ', code(gitRevision)],
    versions === null
      ? ['versions: not recorded']
      : [
          'versions ',
          code(
            Object.entries(versions)
              .map(([name, version]) => `${name} ${version}`)
              .join(', '),
          ),
        ],
  ];
  return {
    kind: 'details',
    id: `reproduce-${key}`,
    summary: [code(key)],
    content: [
      { kind: 'code', text: `${program} train ${key}.yaml --out runs/${key}` },
      { kind: 'list', items: known },
      ...(plugins === null
        ? [paragraph('Plugins: not recorded.')]
        : [
            {
              kind: 'table' as const,
              head: ['plugin', 'version', 'sha256'],
              rows: plugins.map(({ kind, id, version, sha256 }): Sentence[] => [
                [`${kind} `, code(id)],
                [version],
                [code(sha256)],
              ]),
            },
          ]),
      {
        kind: 'details',
        summary: ['The resolved spec (JSON, which is YAML)'],
        content: [{ kind: 'code', text: JSON.stringify(forgetDerived(spec), null, 2) }],
      },
    ],
  };
}
