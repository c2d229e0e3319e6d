import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalCommand } from './warm-start.command.js';

describe('canonicalCommand', () => {
  const root = process.cwd();

  it('names paths as seen from the root of the repository', () => {
    const expected =
      'npm run cli -- warm-start config/warm-start/seedling.yaml --out plugins/models/seedling/model';
    const config = 'config/warm-start/seedling.yaml';
    const out = 'plugins/models/seedling/model';
    expect(canonicalCommand(config, [], out, root)).toBe(expected);
    expect(canonicalCommand(join(root, config), [], join(root, out), root)).toBe(expected);
  });

  it('never shows a path of this machine', () => {
    expect(canonicalCommand('/tmp/plans/tiny.yaml', ['seed=3'], '/tmp/model', root)).toBe(
      'npm run cli -- warm-start tiny.yaml --set seed=3 --out model',
    );
    expect(canonicalCommand('../tiny.yaml', [], 'models/a b', root)).toBe(
      "npm run cli -- warm-start tiny.yaml --out 'models/a b'",
    );
  });
});
