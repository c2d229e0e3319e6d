/**
 * @file Which devices a run asks for: what was stated, and the rest by where its models are computed. Also what of that
 * cannot be, and what would stay idle. Pure. WebGPU asks for nothing by itself: it finds graphics processors that no
 * worker counts, so a CPU slot may do.
 */
import { type JobNeeds, jobNeeds } from '@espalier/protocol';
import type { SpecWarning } from '../plugins/catalogue-messages.js';
import type { RunRequest } from './run-request.js';
import { invalidSpec } from './refusals.js';
import type { Run } from '../database/entities/run.js';

type Spec = Readonly<Record<string, unknown>>;

/**
 * Chooses what a run asks of a place. A run that goes on from another asks for the same, unless that is no place for
 * where its own models are computed.
 */
export function chooseNeeds(
  wanted: RunRequest['needs'],
  spec: Spec,
  parent?: Pick<Run, 'needs' | 'spec'>,
): JobNeeds {
  const kind = providerOf(spec) === 'cuda' ? 'gpu' : 'cpu';
  if (wanted !== undefined) return { ...wanted, kind: wanted.kind ?? kind };
  if (parent === undefined) return jobNeeds.parse({ kind });
  const { needs } = parent;
  const isMoved = kind === 'gpu' || providerOf(parent.spec) !== providerOf(spec);
  return isMoved && needs.kind !== kind ? jobNeeds.parse({ kind, labels: needs.labels }) : needs;
}

/** Refuses a place where the models of a run cannot be computed. @throws run.invalid_request */
export function validateNeeds({ kind }: JobNeeds, spec: Spec): void {
  if (kind === 'gpu' || providerOf(spec) !== 'cuda') return;
  const message =
    'create a run: needs.kind is "cpu", where no GPU can be seen, but device.provider is "cuda"; ask for a GPU, leave needs.kind out, or set device.provider=cpu';
  throw invalidSpec('run.invalid_request', message, [message]);
}

/** Says which of the devices no model is computed on. */
export function findIdleDevices({ kind, count }: JobNeeds, spec: Spec): SpecWarning[] {
  const provider = providerOf(spec);
  if (kind !== 'gpu' || (provider !== 'cpu' && count === 1)) return [];
  const reserved = count === 1 ? '1 GPU is reserved' : `${count} GPUs are reserved`;
  const message =
    provider === 'cpu'
      ? `needs: ${reserved}, but the run trains on the CPU, as device.provider is "cpu"; set device.provider=cuda, or ask for no GPU`
      : `needs: ${reserved}, but a run trains on one of them; ask for one`;
  return [{ code: 'run.idle_devices', message }];
}

function providerOf(spec: Spec): string {
  const { provider = 'cpu' } = (spec['device'] ?? {}) as { provider?: string };
  return provider;
}
