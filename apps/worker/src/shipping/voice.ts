/**
 * @file The three streams of an attempt on their way to the server, and what its training says on the way past.
 * The end of the process is told last: when it has arrived, so has everything else.
 */
import type { AttemptEvent } from '@espalier/protocol';
import type { AttemptFolder } from '../attempts/attempt-folder.js';
import type { Exchange } from '../server/connection.js';
import { boundLog } from '../attempts/file-end.js';
import { decodeLine, ofTrajectory } from './decode-line.js';
import { createLineReader } from './line-reader.js';
import { createFolderHider } from './hide-folder.js';
import { createStreamShipper } from './ship-stream.js';

export interface Voice {
  /** Goes on sending after what the server has; 0 for streams that are not named. */
  resume(acked: Readonly<Record<string, number>>): void;
  /** Reads what the training has said by now. */
  listen(): void;
  /** What the training said when it ended, and that nothing was left to learn from; empty while it has not ended. */
  lastWords(): string;
  isExhausted(): boolean;
  /** Everything in the files is stored by the server. */
  isDrained(): boolean;
  close(): void;
}

export interface VoiceParts {
  readonly exchange: Exchange;
  /** folder of the worker, which the server does not hear of */
  readonly data: string;
  readonly pollMs: number;
  /** most bytes that its process may print; what follows is dropped */
  readonly logBytes: number;
  /** told when something of what it printed was dropped, maybe often */
  readonly onCut: () => void;
  readonly onFenced: () => void;
  /** told every event of the training but its trajectories, also those of before a restart of the worker */
  readonly onSaid: (event: AttemptEvent) => void;
}

/** Creates the streams of an attempt and looks after them until closed. */
export function createVoice(folder: AttemptFolder, parts: VoiceParts): Voice {
  const { attemptId, token } = folder.assignment;
  const shared = {
    attemptId,
    token,
    exchange: parts.exchange,
    onFenced: parts.onFenced,
    hide: createFolderHider(parts.data),
  };
  const trainer = createStreamShipper({ ...shared, stream: 'trainer', path: folder.streamFile('trainer') });
  const [logFile, most] = [folder.streamFile('log'), parts.logBytes];
  const log = createStreamShipper({ ...shared, stream: 'log', path: logFile, most });
  const worker = createStreamShipper({
    ...{ ...shared, stream: 'worker', path: folder.streamFile('worker') },
    maySend: ({ kind }) => kind !== 'process-ended' || (trainer.isDrained() && log.isDrained()),
  });
  const streams = { trainer, log, worker };
  const said = createLineReader(folder.streamFile('trainer'));
  let lastWords = '';
  let isExhausted = false;
  const listen = (): void => {
    for (let lines = said.read(500, 1 << 20); lines.length > 0; lines = said.read(500, 1 << 20)) {
      for (const { text } of lines) {
        // only the server wants what they hold
        if (text.startsWith(ofTrajectory)) continue;
        const event = decodeLine('trainer', text, Date.now());
        if (event.kind === 'run-ended')
          [lastWords, isExhausted] = [event.message, event.outcome === 'no-signal'];
        parts.onSaid(event);
      }
    }
  };
  const bound = (): void => {
    try {
      if (folder.state().phase !== 'ended' && boundLog(logFile, most)) parts.onCut();
    } catch {
      // looked at again with the next turn
    }
  };
  const timer = setInterval(() => {
    listen();
    bound();
    for (const stream of Object.values(streams)) void stream.pump();
  }, parts.pollMs);
  return {
    listen,
    lastWords: () => lastWords,
    isExhausted: () => isExhausted,
    resume(acked) {
      for (const [name, stream] of Object.entries(streams)) stream.resume(acked[name] ?? 0);
    },
    isDrained: () => Object.values(streams).every((stream) => stream.isDrained()),
    close: () => clearInterval(timer),
  };
}
