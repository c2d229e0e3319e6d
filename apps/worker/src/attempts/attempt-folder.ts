/**
 * @file Where the things of an attempt lie, and what of it must survive the worker.
 *
 *   assignment.json   what the server gave
 *   spec.yaml         the configuration of the process (JSON is YAML)
 *   state.json        how far it is, its process
 *   trainer.jsonl, log.txt, worker.jsonl   the three streams, see `attemptEvent` of the protocol
 *   exit              exit code of the process, once it ended
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Assignment, assignment, type AttemptStream } from '@espalier/protocol';
import type { Ending } from '../launch/launch.js';
import type { Living } from '@espalier/telemetry';

/** How far an attempt is; `launching`: a process may have been started whose number was not noted. */
export interface AttemptState {
  readonly phase: 'preparing' | 'launching' | 'running' | 'ended';
  readonly living?: Living;
  readonly ending?: Ending;
  /** what a person asked for, and when, ms since the epoch */
  readonly asked?: { readonly action: 'pause' | 'cancel' | 'kill'; readonly at: number };
}

export interface AttemptFolder {
  readonly path: string;
  readonly assignment: Assignment;
  readonly exitFile: string;
  readonly resultFile: string;
  readonly specFile: string;
  streamFile(stream: AttemptStream): string;
  state(): AttemptState;
  /** Changes parts of the state, durably. */
  update(change: Partial<AttemptState>): void;
  remove(): void;
}

const streamFiles = { trainer: 'trainer.jsonl', log: 'log.txt', worker: 'worker.jsonl' } as const;

/** Writes a file as a whole and makes it durable. */
export function saveWhole(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text);
  const descriptor = openSync(temporary, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, path);
}

/** Makes the folder of a new attempt. */
export function createAttemptFolder(parent: string, given: Assignment): AttemptFolder {
  const path = join(parent, given.attemptId);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  saveWhole(join(path, 'state.json'), JSON.stringify({ phase: 'preparing' } satisfies AttemptState));
  const { derived: _follows, ...spec } = given.spec;
  saveWhole(join(path, 'spec.yaml'), JSON.stringify(spec));
  // last: a folder without it was never accepted
  saveWhole(join(path, 'assignment.json'), JSON.stringify(given));
  return openFolder(path, given);
}

/** Loads the attempts that a worker held when it ended; what was never accepted is removed. */
export function loadAttemptFolders(parent: string): AttemptFolder[] {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names.flatMap((name) => {
    const path = join(parent, name);
    try {
      return [openFolder(path, assignment.parse(readJson(join(path, 'assignment.json'))))];
    } catch {
      rmSync(path, { recursive: true, force: true });
      return [];
    }
  });
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8')) as unknown;
}

function openFolder(path: string, given: Assignment): AttemptFolder {
  const stateFile = join(path, 'state.json');
  let state = readJson(stateFile) as AttemptState;
  return {
    ...{ path, assignment: given, exitFile: join(path, 'exit'), resultFile: join(path, 'result.json') },
    specFile: join(path, 'spec.yaml'),
    streamFile: (stream) => join(path, streamFiles[stream]),
    state: () => state,
    update(change) {
      const changed = { ...state, ...change };
      // first: what could not be saved has not happened
      saveWhole(stateFile, JSON.stringify(changed));
      state = changed;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
