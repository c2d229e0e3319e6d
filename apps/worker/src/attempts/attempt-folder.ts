/**
 * @file The files of an attempt, which survive the worker.
 *
 *   assignment.json   the assignment from the server
 *   spec.yaml         the configuration of the process (JSON is YAML)
 *   state.json        the phase of the attempt, and its process
 *   trainer.jsonl, log.txt, worker.jsonl   the three streams, see `attemptEvent` of the protocol
 *   exit              exit code of the process, once it has ended
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Assignment, assignment, type AttemptStream } from '@espalier/protocol';
import type { ExitStatus } from './launch.js';
import type { Logger } from '../logger.js';
import { type ProcessIdentity, saveWholeFile } from '@espalier/files';

/** The phase of an attempt; `launching`: a process may have been started whose id was not saved. */
export interface AttemptState {
  readonly phase: 'preparing' | 'launching' | 'running' | 'ended';
  readonly living?: ProcessIdentity;
  readonly exitStatus?: ExitStatus;
  /** the last request, and when it came first and when the process is killed at the latest, ms since the epoch */
  readonly requested?: {
    readonly action: 'pause' | 'cancel' | 'kill' | 'drain';
    readonly at: number;
    readonly killAt?: number;
    /** false: the process has not been interrupted yet */
    readonly isTold?: boolean;
  };
  /** what the endpoint of a chat is called with */
  readonly endpointKey?: string;
  /** it was killed because it used more memory than its limit */
  readonly exceeded?: { readonly usedMb: number; readonly limitMb: number };
}

export interface AttemptFolder {
  readonly path: string;
  readonly assignment: Assignment;
  readonly exitFile: string;
  readonly resultFile: string;
  readonly specFile: string;
  streamFile(stream: AttemptStream): string;
  state(): AttemptState;
  /** Changes parts of the state and saves it durably; no effect once the folder was removed. */
  update(change: Partial<AttemptState>): void;
  remove(): void;
}

const streamFiles = { trainer: 'trainer.jsonl', log: 'log.txt', worker: 'worker.jsonl' } as const;

/** Creates the folder of a new attempt. */
export function createAttemptFolder(parent: string, given: Assignment): AttemptFolder {
  const path = join(parent, given.attemptId);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  saveWholeFile(join(path, 'state.json'), JSON.stringify({ phase: 'preparing' } satisfies AttemptState));
  saveWholeFile(join(path, 'spec.yaml'), JSON.stringify(given.spec));
  // last: an attempt without it was never accepted
  saveWholeFile(join(path, 'assignment.json'), JSON.stringify(given));
  return openFolder(path, given);
}

/** Prefix of folders that could not be read. */
const corruptPrefix = 'corrupt-';

/**
 * Loads the attempts that a worker held when it ended. Attempts that were never accepted are deleted. An accepted one
 * that cannot be read is renamed and logged, because it may hold events that the server does not have.
 */
export function loadAttemptFolders(parent: string, log: Pick<Logger, 'error'>): AttemptFolder[] {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names
    .filter((name) => !name.startsWith(corruptPrefix))
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

function setAside(parent: string, name: string, error: unknown, log: Pick<Logger, 'error'>): void {
  const aside = join(parent, `${corruptPrefix}${name}-${Date.now()}`);
  const facts = { attemptId: name, message: error instanceof Error ? error.message : String(error) };
  try {
    renameSync(join(parent, name), aside);
    log.error({ ...facts, aside }, 'attempt folder cannot be read; it was renamed and keeps its events');
  } catch (cause) {
    log.error({ ...facts, cause: String(cause) }, 'attempt folder can be neither read nor renamed');
  }
}

export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8')) as unknown;
}

function openFolder(path: string, given: Assignment): AttemptFolder {
  const stateFile = join(path, 'state.json');
  let state = readJson(stateFile) as AttemptState;
  let isRemoved = false;
  return {
    path,
    assignment: given,
    exitFile: join(path, 'exit'),
    resultFile: join(path, 'result.json'),
    specFile: join(path, 'spec.yaml'),
    streamFile: (stream) => join(path, streamFiles[stream]),
    state: () => state,
    update(change) {
      if (isRemoved) return;
      const changed = { ...state, ...change };
      // saved first: a change that cannot be saved does not take effect
      saveWholeFile(stateFile, JSON.stringify(changed));
      state = changed;
    },
    remove() {
      isRemoved = true;
      rmSync(path, { recursive: true, force: true });
    },
  };
}
