/** @file For tests: tasks of Harbor written to a folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A task whose tests want `done.txt`; `files` replace or add to its files. */
export function writeTask(
  parent: string,
  name: string,
  files: Readonly<Record<string, string>> = {},
): string {
  const folder = join(parent, name);
  const all: Record<string, string> = {
    'task.toml': 'schema_version = "1.4"\n',
    'instruction.md': 'Make done.txt.\n',
    'environment/Dockerfile': 'FROM debian:12\nWORKDIR /app\n',
    'tests/test.sh': '#!/bin/bash\n[ -e /app/done.txt ] && r=1 || r=0\necho $r > /logs/verifier/reward.txt\n',
    'solution/solve.sh': '#!/bin/bash\ntouch done.txt\n',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
