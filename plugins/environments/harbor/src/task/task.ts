/** @file A task of Harbor: a folder with `task.toml`, `instruction.md`, `environment/`, `tests/` and, mostly, `solution/`. */
import type { Dockerfile } from './dockerfile.js';
import type { TaskConfig } from './task-config.js';

export interface Task {
  /** `org/name` of its configuration, else the name of its folder */
  readonly name: string;
  readonly folder: string;
  readonly instruction: string;
  readonly config: TaskConfig;
  readonly build: Dockerfile;
  /** variables of the environment, of the tests and of the solution */
  readonly variables: Readonly<
    Record<'environment' | 'verifier' | 'solution', Readonly<Record<string, string>>>
  >;
  /** whether `solution/solve.sh` is there */
  readonly hasSolution: boolean;
  /** the text of `solve.sh`, where nothing else is in its folder */
  readonly script: string | undefined;
}

/** Where commands run. */
export const workdirOf = ({ config, build }: Task): string => config.environment.workdir ?? build.workdir;
