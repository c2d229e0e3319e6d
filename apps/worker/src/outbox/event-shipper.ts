/**
 * @file The three streams of an attempt on their way to the server, and what its training says on the way past.
 * `process-ended` is sent last: once it has arrived, so has everything else.
 */
import type { RunOutcome } from '@espalier/contracts';
import type { AttemptEvent } from '@espalier/protocol';
import type { AttemptFolder } from '../attempts/attempt-folder.js';
import type { ServerConnection } from '../connection.js';
import { truncateLog } from '../attempts/file-end.js';
import { createPathRedactor, decodeLine, trajectoryPrefix } from './decode-line.js';
import { createLineReader } from './line-reader.js';
import { createStreamShipper } from './ship-stream.js';

export interface EventShipper {
  /** Resumes after the last sequence that the server has of each stream; default: 0. */
  resume(acked: Readonly<Record<string, number>>): void;
  /** Reads the events that the training process has written since the last call. */
  readNewEvents(): void;
  /** The last message of the training process; empty until it has ended. */
  finalMessage(): string;
  /** How the training ended, as it says; undefined until it has. */
  outcome(): RunOutcome | undefined;
  /** Whether the server has stored everything in the files. */
  isDrained(): boolean;
  close(): void;
}

export interface EventShipperParts {
  readonly connection: ServerConnection;
  /** data folder of the worker; its path is never sent */
  readonly data: string;
  readonly pollMs: number;
  /** maximum output of the process, bytes; the rest is dropped */
  readonly logBytes: number;
  /** called whenever output was dropped */
  readonly onTruncated: () => void;
  readonly onFenced: () => void;
  /** called with every event of the training process except trajectories, including those from before a worker restart */
  readonly onEvent: (event: AttemptEvent) => void;
}

/** Ships the streams of an attempt until closed. */
export function createEventShipper(folder: AttemptFolder, parts: EventShipperParts): EventShipper {
  const { attemptId, token } = folder.assignment;
  const shared = {
    attemptId,
    token,
    connection: parts.connection,
    onFenced: parts.onFenced,
    redact: createPathRedactor(parts.data),
  };
  const trainer = createStreamShipper({ ...shared, stream: 'trainer', path: folder.streamFile('trainer') });
  const logFile = folder.streamFile('log');
  const maxBytes = parts.logBytes;
  const log = createStreamShipper({ ...shared, stream: 'log', path: logFile, maxBytes });
  const worker = createStreamShipper({
    ...shared,
    stream: 'worker',
    path: folder.streamFile('worker'),
    maySend: ({ kind }) => kind !== 'process-ended' || (trainer.isDrained() && log.isDrained()),
  });
  const streams = { trainer, log, worker };
  const reader = createLineReader(folder.streamFile('trainer'));
  let finalMessage = '';
  let outcome: RunOutcome | undefined;
  const readNewEvents = (): void => {
    for (let lines = reader.read(500, 1 << 20); lines.length > 0; lines = reader.read(500, 1 << 20)) {
      for (const { text } of lines) {
        // only the server uses their content
        if (text.startsWith(trajectoryPrefix)) continue;
        const event = decodeLine('trainer', text, Date.now());
        if (event.kind === 'run-ended') {
          finalMessage = event.message;
          ({ outcome } = event);
        }
        parts.onEvent(event);
      }
    }
  };
  const limitLog = (): void => {
    try {
      if (folder.state().phase !== 'ended' && truncateLog(logFile, maxBytes)) parts.onTruncated();
    } catch {
      // retried in the next interval
    }
  };
  const timer = setInterval(() => {
    readNewEvents();
    limitLog();
    for (const stream of Object.values(streams)) void stream.pump();
  }, parts.pollMs);
  return {
    readNewEvents,
    finalMessage: () => finalMessage,
    outcome: () => outcome,
    resume(acked) {
      for (const [name, stream] of Object.entries(streams)) stream.resume(acked[name] ?? 0);
    },
    isDrained: () => Object.values(streams).every((stream) => stream.isDrained()),
    close: () => clearInterval(timer),
  };
}
