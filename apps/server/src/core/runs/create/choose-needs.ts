/**
 * @file Which devices a run needs: what the user requests, and defaults that follow from the device provider of the spec.
 * Also which needs are impossible, and which devices would be idle. WebGPU needs no GPU: it uses graphics processors
 * that workers do not count.
 */
import { AppError } from '@espalier/contracts';
import { type JobNeeds, jobNeeds } from '@espalier/protocol';
import type { SpecWarning } from '../../plugins/catalogue-messages.js';
import type { RunRequest } from '../run-request.js';
import type { Run } from '../../database/entities/run.js';

type Spec = Readonly<Record<string, unknown>>;

/**
 * Chooses the needs of a run. A fork needs what its parent needs, unless its spec has another device provider.
 */
export function chooseNeeds(
  requested: RunRequest['needs'],
  spec: Spec,
  parent?: Pick<Run, 'needs' | 'spec'>,
): JobNeeds {
  const kind = providerOf(spec) === 'cuda' ? 'gpu' : 'cpu';
  if (requested !== undefined) return { ...requested, kind: requested.kind ?? kind };
  if (parent === undefined) return jobNeeds.parse({ kind });
  const { needs } = parent;
  const isMoved = kind === 'gpu' || providerOf(parent.spec) !== providerOf(spec);
  return isMoved && needs.kind !== kind ? jobNeeds.parse({ kind, labels: needs.labels }) : needs;
}

/** Refuses needs without the devices that the spec computes on. @throws server.invalid_input */
export function validateNeeds({ kind }: JobNeeds, spec: Spec): void {
  if (kind === 'gpu' || providerOf(spec) !== 'cuda') return;
  throw new AppError(
    'server.invalid_input',
    'create a run: needs.kind is "cpu", where no GPU can be seen, but device.provider is "cuda"; ask for a GPU, leave needs.kind out, or set device.provider=cpu',
  );
}

/** Warns of devices that the run would not use. */
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
