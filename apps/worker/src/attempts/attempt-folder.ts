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
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Assignment, assignment, type AttemptStream } from '@espalier/protocol';
import type { Ending } from '../launch/launch.js';
import type { Log } from '../log.js';
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

/** How the names of folders begin that could not be read. */
const broken = 'broken-';

/**
 * Loads the attempts that a worker held when it ended. What was never accepted is removed; what was, and cannot be read
 * now, may hold events that nobody else has, so it is set aside under another name and told.
 */
export function loadAttemptFolders(parent: string, log: Pick<Log, 'error'>): AttemptFolder[] {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names
    .filter((name) => !name.startsWith(broken))
    .flatMap((name) => {
      const path = join(parent, name);
      try {
        if (wasAccepted(path))
          return [openFolder(path, assignment.parse(readJson(join(path, 'assignment.json'))))];
        rmSync(path, { recursive: true, force: true });
      } catch (error) {
        setAside(parent, name, error, log);
      }
      return [];
    });
}

function wasAccepted(path: string): boolean {
  return statSync(join(path, 'assignment.json'), { throwIfNoEntry: false }) !== undefined;
}

function setAside(parent: string, name: string, error: unknown, log: Pick<Log, 'error'>): void {
  const aside = join(parent, `${broken}${name}-${Date.now()}`);
  const facts = { attemptId: name, message: error instanceof Error ? error.message : String(error) };
  try {
    renameSync(join(parent, name), aside);
    log.error(
      { ...facts, aside },
      'attempt folder cannot be read and was set aside; its events are in there',
    );
  } catch (cause) {
    log.error({ ...facts, cause: String(cause) }, 'attempt folder can neither be read nor set aside');
  }
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
