/**
 * @file Workers as Kubernetes Jobs, each with a Secret that holds its environment. Kubernetes never restarts them itself: a
 * lost one is replaced by a new Job, whose name no other has.
 */
import type {
  BatchV1Api,
  ConfigurationOptions,
  CoreV1Api,
  CoreV1Event,
  V1Job,
  V1Pod,
} from '@kubernetes/client-node';
import type { KubernetesLauncherOptions } from '../../config/launcher-options.js';
import {
  describeJob,
  describeOrphan,
  disruptionOf,
  eventsDenied,
  isWithoutPod,
  type JobEvents,
} from './kubernetes-status.js';
import { assertPlainName, type Launcher, type LaunchOrder } from './launcher.js';
import { oneLine } from './run-program.js';

interface Clients {
  readonly batch: BatchV1Api;
  readonly core: CoreV1Api;
  /** Options that send an object with all of its fields; the client leaves out those that it does not know. */
  readonly whole: (body: object) => ConfigurationOptions;
}

const launcherLabel = 'espalier.dev/launcher';
const jobLabel = 'batch.kubernetes.io/job-name';
const forbidden = 403;
const notFound = 404;
const alreadyExists = 409;
/** a finished Job is kept this long for those who look at the cluster, s */
const keepSeconds = 3600;

/** Calls the API server, in bounded time; some statuses stand for nothing to do. */
type Call = <T>(
  work: (clients: Clients) => Promise<T>,
  ignored?: readonly number[],
) => Promise<T | undefined>;

function createCall(options: KubernetesLauncherOptions): Call {
  const { commandSeconds } = options;
  let connected: Promise<Clients> | undefined;
  const connect = (): Promise<Clients> =>
    (connected ??= openCluster(options).catch((error: unknown) => {
      connected = undefined;
      throw error;
    }));
  return async (work, ignored = []) => {
    let timer: NodeJS.Timeout | undefined;
    try {
      // loading the client takes seconds on a busy machine, and is no silence of the cluster
      const clients = await connect();
      const late = new Promise<never>((_, reject) => {
        const fail = (): void => reject(new Error(`no answer within ${commandSeconds} s`));
        timer = setTimeout(fail, commandSeconds * 1000);
      });
      return await Promise.race([work(clients), late]);
    } catch (error) {
      if (ignored.includes(Number((error as { code?: unknown }).code))) return undefined;
      throw new Error(`Kubernetes: ${tellError(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

export function createKubernetesLauncher(options: KubernetesLauncherOptions): Launcher {
  const { namespace } = options;
  const call = createCall(options);
  const endJob = (name: string): Promise<unknown> =>
    call(
      ({ batch }) =>
        batch.deleteNamespacedJob({
          namespace,
          name,
          // the Job is there until its pod has ended
          propagationPolicy: 'Foreground',
        }),
      [notFound],
    );
  /** Kills the pod of a Job: the grace period of a Job does not reach it. */
  const killPod = (name: string): Promise<unknown> =>
    call(
      ({ core }) =>
        core.deleteCollectionNamespacedPod({
          namespace,
          labelSelector: `${jobLabel}=${name}`,
          gracePeriodSeconds: 0,
        }),
      [notFound],
    );
  /** Warnings about Jobs; a Role that was made before they were read may not grant that. */
  const listWarnings = async (): Promise<JobEvents> => {
    const fieldSelector = 'involvedObject.kind=Job,type=Warning';
    const read = ({ core }: Clients): Promise<{ items: CoreV1Event[] }> =>
      core.listNamespacedEvent({ namespace, fieldSelector });
    return (await call(read, [forbidden]))?.items ?? eventsDenied;
  };
  const deleteSecret = (name: string): Promise<unknown> =>
    call(({ core }) => core.deleteNamespacedSecret({ namespace, name }), [notFound]);

  /** why pods end, by the names of their Jobs */
  const disruptions = new Map<string, string>();

  return {
    async start(order) {
      assertPlainName(order.name);
      await call(
        ({ core }) => core.createNamespacedSecret({ namespace, body: secretOf(options, order) }),
        [alreadyExists],
      );
      const body = jobOf(options, order);
      // a field with a typing error is refused, not left out
      await call(
        ({ batch, whole }) =>
          batch.createNamespacedJob({ namespace, body, fieldValidation: 'Strict' }, whole(body)),
        [alreadyExists],
      );
      return order.name;
    },
    async observe(known) {
      if (known.length === 0) return new Map();
      const labelSelector = `${launcherLabel}=${options.name}`;
      const jobs = await call(({ batch }) => batch.listNamespacedJob({ namespace, labelSelector }));
      const pods = await call(({ core }) => core.listNamespacedPod({ namespace, labelSelector }));
      const podOf = new Map((pods?.items ?? []).map((pod) => [pod.metadata?.labels?.[jobLabel] ?? '', pod]));
      const names = new Set(known.map(({ name }) => name));
      noteDisruptions(disruptions, podOf, names);
      const own = (jobs?.items ?? [])
        .map((job) => [job.metadata?.name ?? '', job] as const)
        .filter(([name]) => names.has(name));
      // what the cluster refuses is the pod: the Job is there, and only its Events say why nothing runs
      const isSilent = own.some(([name, job]) => isWithoutPod(job, podOf.get(name)));
      const events = isSilent ? await listWarnings() : [];
      const seen = new Map(
        own.map(([name, job]) => [
          name,
          describeJob(name, job, podOf.get(name), events, disruptions.get(name)),
        ]),
      );
      for (const [name, pod] of podOf)
        if (names.has(name) && !seen.has(name)) seen.set(name, describeOrphan(name, pod));
      return seen;
    },
    async stop({ name }, isForced = false) {
      await endJob(name);
      if (isForced) await killPod(name);
    },
    async cleanUp({ name }) {
      await deleteSecret(name);
    },
  };
}

async function openCluster({ kubeconfig, context }: KubernetesLauncherOptions): Promise<Clients> {
  const { KubeConfig, BatchV1Api, CoreV1Api, Observable } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === '') config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  if (context !== '') config.setCurrentContext(context);
  const pass = <T>(value: T) => new Observable(Promise.resolve(value));
  const whole: Clients['whole'] = (body) => ({
    middlewareMergeStrategy: 'append',
    middleware: [
      {
        pre: (request) => {
          request.setBody(JSON.stringify(body));
          return pass(request);
        },
        post: pass,
      },
    ],
  });
  return { batch: config.makeApiClient(BatchV1Api), core: config.makeApiClient(CoreV1Api), whole };
}

const labelsOf = (options: KubernetesLauncherOptions): Record<string, string> => ({
  'app.kubernetes.io/name': 'espalier',
  'app.kubernetes.io/component': 'worker',
  [launcherLabel]: options.name,
});

function secretOf(options: KubernetesLauncherOptions, { name, environment }: LaunchOrder) {
  return { metadata: { name, labels: labelsOf(options) }, type: 'Opaque', stringData: { ...environment } };
}

function jobOf(options: KubernetesLauncherOptions, { name, command, environment }: LaunchOrder): V1Job {
  const { image, worker, gpuResource, resources, podTemplate, stopSeconds } = options;
  const devices = worker.kind === 'gpu' ? { [gpuResource]: String(worker.count) } : {};
  const asText = (given: Readonly<Record<string, string | number>> | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, String(value)]));
  const [entry, ...args] = command;
  const { containers: [given = {}] = [], ...pod } = podTemplate;
  const { env = [], envFrom = [], resources: own = {}, ...container } = given;
  return {
    metadata: { name, labels: labelsOf(options) },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: keepSeconds,
      template: {
        metadata: { labels: labelsOf(options) },
        spec: {
          ...pod,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: stopSeconds,
          containers: [
            {
              ...container,
              name: 'worker',
              image,
              ...(entry === undefined ? { args: ['worker'] } : { command: [entry], args }),
              // a variable of `env` would win over that of the Secret
              env: env.filter((variable) => !Object.hasOwn(environment, variable.name)),
              envFrom: [...envFrom, { secretRef: { name } }],
              resources: {
                ...own,
                requests: asText({ ...own.requests, ...resources['requests'] }),
                limits: { ...asText({ ...own.limits, ...resources['limits'] }), ...devices },
              },
            },
          ],
        },
      },
    },
  };
}

/** Remembers why pods end, as long as their workers are known: a pod may be gone when its Job is over. */
function noteDisruptions(
  noted: Map<string, string>,
  pods: ReadonlyMap<string, V1Pod>,
  known: ReadonlySet<string>,
): void {
  for (const [name, pod] of pods) {
    const disruption = disruptionOf(pod);
    if (disruption !== undefined) noted.set(name, disruption);
  }
  for (const name of noted.keys()) if (!known.has(name)) noted.delete(name);
}

/** What the API server said, or else what the client says of it. */
function tellError(error: unknown): string {
  const { body, message = String(error) } = error as { body?: unknown; message?: string };
  // the client repeats all headers of an answer, whose body it has not read
  const said = /^HTTP-Code: (\d+)\nMessage: (.*)\nBody: undefined\n/.exec(message);
  return messageOf(body) ?? (said === null ? oneLine(message) : `${said[2] ?? ''} (${said[1] ?? ''})`);
}

/** The message of a Status that the API server sent. */
function messageOf(body: unknown): string | undefined {
  try {
    const status = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: unknown } | null;
    return typeof status?.message === 'string' ? status.message : undefined;
  } catch {
    return undefined;
  }
}
