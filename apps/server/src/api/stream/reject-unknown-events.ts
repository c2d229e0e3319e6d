import { AppError } from '@espalier/contracts';
import type { Namespace } from 'socket.io';
import type { ErrorReport } from '../errors/error-report.js';

/**
 * Answers events that a namespace does not know, by their acknowledgement or by `refused`; they count as refusals.
 *
 * @param known names of the events that it accepts
 */
export function rejectUnknownEvents(
  namespace: Namespace,
  known: readonly string[],
  code: 'server.invalid_input' | 'worker.malformed_message',
  report: ErrorReport,
): void {
  namespace.on('connection', (socket) =>
    socket.onAny((event: unknown, ...args: unknown[]) => {
      if (known.includes(String(event))) return;
      const name = JSON.stringify(String(event).slice(0, 100));
      const finding = `read the event ${name}: ${namespace.name} has no such event; it takes ${known.join(', ')}`;
      const error = report.serialize(new AppError(code, finding));
      const answer = { ok: false, code: error.code, message: error.message };
      const acknowledge = args.at(-1);
      if (typeof acknowledge === 'function') (acknowledge as (answer: object) => void)(answer);
      else socket.emit('refused', answer);
    }),
  );
}
