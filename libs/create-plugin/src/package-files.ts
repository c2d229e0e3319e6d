/** @file What every new package has: manifest, compiler options, README. */
import { readFileSync } from 'node:fs';

/** Versions that the package is written for; all packages of Espalier have the same. */
const { version: kitVersion } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** Tools of a new package, at the versions with which its tests are known to pass. */
export const toolVersions = {
  '@types/node': '20.19.43',
  typescript: '6.0.3',
  vitest: '4.1.12',
  zod: '4.6.7',
} as const;

/** @param kit package name → tarball, where the kit is not in a registry */
export function describePackage(
  kind: string,
  id: string,
  kit: Readonly<Record<string, string>>,
): Record<string, string> {
  const fromFiles = Object.fromEntries(Object.entries(kit).map(([name, path]) => [name, `file:${path}`]));
  const manifest = {
    name: `espalier-${kind}-${id}`,
    version: '0.1.0',
    description: `${kind} "${id}" for Espalier`,
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: kind === 'model' ? ['dist', 'model'] : ['dist'],
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      test: 'tsc && vitest run',
      prepare: 'npm run build',
    },
    peerDependencies: { '@espalier/plugin-kit': `^${kitVersion}`, zod: '^4.0.0' },
    devDependencies: { '@espalier/plugin-kit': `^${kitVersion}`, ...toolVersions, ...fromFiles },
  };
  return {
    'package.json': toJson(manifest),
    'tsconfig.json': toJson({ compilerOptions, include: ['src'] }),
    'tsconfig.build.json': toJson({
      extends: './tsconfig.json',
      compilerOptions: { noEmit: false, declaration: true, rootDir: 'src', outDir: 'dist' },
      exclude: ['src/**/*.spec.ts'],
    }),
    '.gitignore': 'dist/\nnode_modules/\n',
    'README.md': describeReadme(kind, id),
  };
}

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  types: ['node'],
  noEmit: true,
};

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const guides: Readonly<Record<string, string>> = {
  environment: 'docs/use/writing-an-environment.md',
  reward: 'docs/use/writing-a-reward.md',
  algorithm: 'docs/use/writing-an-algorithm.md',
  model: 'docs/use/models.md',
};

const describeReadme = (kind: string, id: string): string => `# espalier-${kind}-${id}

The ${kind} \`${id}\` for Espalier, whose guide is ${guides[kind]}.

\`\`\`sh
npm install  # also builds
npm test     # types, then the conformance suite
npm pack     # a tarball to install beside Espalier
\`\`\`

Where Espalier is installed, \`npx espalier plugin check <this folder>\` reports rewards that can be had without solving the
task, and \`npx espalier plugin dev <this folder>\` plays it on every save.

A workspace of Espalier uses it as \`packages: [espalier-${kind}-${id}]\` in \`config/plugins.yaml\` once it is installed, or
by the path of this folder.
`;
