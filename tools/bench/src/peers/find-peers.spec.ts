import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPeers } from './find-peers.js';

const program = { file: 'step.py', args: [], packages: ['torch'] };

describe('findPeers', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-peers-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const placePython = (body: string): void => {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'python'), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'bin', 'python'), 0o755);
  };

  it('names a missing interpreter and how to make one', () => {
    expect(() => findPeers(join(folder, 'none'), folder, [program])).toThrow(
      /no Python at ".*none.*python".*python3 -m venv/,
    );
  });

  it('names a missing program and the option that says where it is', () => {
    placePython('echo "{}"');
    expect(() => findPeers(folder, folder, [program])).toThrow(
      expect.objectContaining({
        code: 'bench.peers_missing',
        message: expect.stringMatching(/no program "step.py" in .*--peer-programs/),
      }),
    );
  });

  it('names missing packages and how to install them', () => {
    placePython(`echo '{"numpy": "2.4"}'`);
    writeFileSync(join(folder, 'step.py'), '');
    expect(() => findPeers(folder, folder, [program])).toThrow(
      /lacks the Python package torch; .*pip install/,
    );
  });

  it('says so when the interpreter does not work', () => {
    placePython('echo "cannot load library" >&2; exit 3');
    writeFileSync(join(folder, 'step.py'), '');
    expect(() => findPeers(folder, folder, [program])).toThrow(
      /cannot list its packages: cannot load library/,
    );
  });

  it('gives versions of what is there', () => {
    placePython(`echo '{"torch": "2.15.0"}'`);
    writeFileSync(join(folder, 'step.py'), '');
    expect(findPeers(folder, folder, [program]).versions).toEqual({ torch: '2.15.0' });
  });
});
