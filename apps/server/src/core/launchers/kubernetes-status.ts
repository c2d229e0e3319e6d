/** @file What Kubernetes says of a Job: its own status, that of its pod, and the Events that tell why it has none. Pure. */
import type { CoreV1Event, V1Job, V1Pod } from '@kubernetes/client-node';
import type { Observation } from './launcher.js';
import { oneLine } from './run-program.js';

/** The service account may not list Events. */
export const eventsDenied = 'denied';
const maxFinding = 400;

export type JobEvents = readonly CoreV1Event[] | typeof eventsDenied;

/**
 * @param events  warnings about Jobs; they are asked only where the Job has no pod
 * @param earlier why its pod ends, as it was seen before: a pod that was evicted is gone when its Job is over
 */
export function describeJob(
  handle: string,
  job: V1Job,
  pod: V1Pod | undefined,
  events: JobEvents,
  earlier?: string,
): Observation {
  const failed = conditionOf(job, 'Failed');
  if (failed !== undefined)
    return { phase: 'ended', handle, reason: reasonOf(pod) ?? earlier ?? failed.message ?? 'it failed' };
  if (conditionOf(job, 'Complete') !== undefined)
    return { phase: 'ended', handle, reason: disruptionOf(pod) ?? earlier ?? 'it ended' };
  // the Job hears of it a moment later
  if (pod?.status?.phase === 'Succeeded')
    return { phase: 'ended', handle, reason: disruptionOf(pod) ?? 'it ended' };
  if (pod?.status?.phase === 'Failed')
    return { phase: 'ended', handle, reason: reasonOf(pod) ?? 'it failed' };
  if (pod?.status?.phase === 'Running') {
    const node = pod.spec?.nodeName;
    const ending = disruptionOf(pod);
    const reason = node === undefined ? '' : `on ${node}`;
    return { phase: 'running', handle, reason, ...(ending !== undefined && { ending }) };
  }
  if (pod !== undefined) return { phase: 'pending', handle, reason: waitOf(pod) };
  if (job.metadata?.deletionTimestamp !== undefined)
    return { phase: 'ended', handle, reason: 'its Job was deleted' };
  if (events === eventsDenied)
    return {
      phase: 'pending',
      handle,
      reason: 'its pod does not exist; grant `list` of `events` to learn why',
    };
  const message = newestMessage(handle, events);
  return { phase: isFinal(message) ? 'refused' : 'pending', handle, reason: shorten(message) };
}

/** What is seen of a worker whose Job somebody has deleted: its pod may still save. */
export function describeOrphan(handle: string, pod: V1Pod): Observation {
  const reason = 'its Job was deleted';
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return isOver ? { phase: 'ended', handle, reason } : { phase: 'running', handle, reason, ending: reason };
}

/** Whether a Job waits for a pod, or waits because its pod was refused. */
export function isWithoutPod(job: V1Job, pod: V1Pod | undefined): boolean {
  const isOver =
    conditionOf(job, 'Failed') ?? conditionOf(job, 'Complete') ?? job.metadata?.deletionTimestamp;
  return pod === undefined && isOver === undefined;
}

/** A condition of a Job or a pod that holds. */
function conditionOf<T extends { readonly type: string; readonly status: string }>(
  { status }: { readonly status?: { readonly conditions?: readonly T[] } },
  type: string,
): T | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

function newestMessage(job: string, events: readonly CoreV1Event[]): string {
  const timeOf = ({ series, lastTimestamp, eventTime, metadata }: CoreV1Event): number =>
    new Date(
      series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0,
    ).getTime();
  const own = events.filter(({ involvedObject }) => involvedObject.name === job);
  own.sort((a, b) => timeOf(b) - timeOf(a));
  return own[0]?.message ?? '';
}

/**
 * Whether a refusal of a pod stands until somebody changes the pod or the cluster, as one of Pod Security, a LimitRange or a
 * webhook does. A quota frees up; its usage, and the service account of a new namespace, come to be known.
 */
function isFinal(message: string): boolean {
  const isRefused = /\bis (forbidden|invalid)\b|\bdenied (the )?request\b/.test(message);
  return isRefused && !/exceeded quota|status unknown for quota|looking up service account/.test(message);
}

/** The finding, which comes after what every such message begins with. */
function shorten(message: string): string {
  const finding = message.replace(
    /^(\(combined from similar events\): )?Error creating: (pods "[^"]*" is forbidden: )?/,
    '',
  );
  return oneLine(finding.length <= maxFinding ? finding : `${finding.slice(0, maxFinding - 1)}…`);
}

/** Why the cluster ends a pod; it is told while the pod still saves. */
export function disruptionOf(pod: V1Pod | undefined): string | undefined {
  const disruption = pod && conditionOf(pod, 'DisruptionTarget');
  if (disruption === undefined) return undefined;
  return `its pod was disrupted: ${disruption.reason ?? ''} ${disruption.message ?? ''}`.trim();
}

/** Why a pod ended, such as a pre-emption or an eviction. */
function reasonOf(pod: V1Pod | undefined): string | undefined {
  const disruption = disruptionOf(pod);
  if (disruption !== undefined) return disruption;
  if (pod?.status?.reason !== undefined) return `${pod.status.reason}: ${pod.status.message ?? ''}`;
  const ended = pod?.status?.containerStatuses?.[0]?.state?.terminated;
  if (ended === undefined) return undefined;
  return `its container ended with code ${ended.exitCode}${ended.reason === undefined ? '' : ` (${ended.reason})`}`;
}

/** Why a pod does not run yet, such as an image that cannot be pulled, or no node that fits. */
function waitOf(pod: V1Pod | undefined): string {
  const waiting = pod?.status?.containerStatuses?.[0]?.state?.waiting;
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating')
    return oneLine(`${waiting.reason}: ${waiting.message ?? ''}`);
  const unscheduled = pod?.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  return unscheduled === undefined
    ? ''
    : oneLine(`${unscheduled.reason ?? ''}: ${unscheduled.message ?? ''}`);
}
