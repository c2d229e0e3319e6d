/**
 * @file An API server of Kubernetes over real HTTP, as far as Jobs, their pods, Events and Secrets go, with a "node" that runs
 * the containers of pods as processes of this machine. It is no cluster: images and schedulers are not here, and what admission
 * says of a pod is what a test gives it. Paths, bodies, statuses and messages are those of Kubernetes 1.36, on which `npm run
 * check:kubernetes` tries the same.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { V1Container, V1PodSpec } from '@kubernetes/client-node';
import {
  type Container,
  ContainerProcess,
  decodeSecret,
  endedStatus,
  runningStatus,
  type Terminated,
} from './kubelet.js';

interface Metadata {
  name: string;
  labels: Record<string, string>;
  deletionTimestamp?: string;
  creationTimestamp?: string;
}
export interface KubernetesJob {
  metadata: Metadata;
  spec: {
    backoffLimit: number;
    template: {
      metadata: { labels: Record<string, string> };
      spec: { containers: Container[]; terminationGracePeriodSeconds: number };
    };
  };
  status: { conditions?: { type: string; status: string; message?: string }[] };
}
interface Event {
  metadata: Metadata;
  involvedObject: { kind: string; namespace: string; name: string };
  type: string;
  reason: string;
  message: string;
  lastTimestamp: string;
}
interface Pod {
  metadata: Metadata;
  spec: { nodeName?: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** what the controller of Jobs takes to see that a pod has ended */
const controllerMs = 200;
const jobLabel = 'batch.kubernetes.io/job-name';
const token = 'token-of-the-test';
const account = 'system:serviceaccount:lab:espalier';
type Kind = 'jobs' | 'pods' | 'secrets' | 'events';

export class KubernetesApi {
  readonly jobs = new Map<string, KubernetesJob>();
  readonly pods = new Map<string, Pod>();
  readonly secrets = new Map<string, { metadata: Metadata; data: Record<string, string> }>();
  readonly events = new Map<string, Event>();
  readonly requests: string[] = [];
  /** kinds that the service account may not use */
  readonly withoutRight = new Set<Kind>();
  /** why every pod is refused, in the words of the admission plugin or webhook; null: pods are admitted */
  admission: string | null = null;
  /** pods wait for this reason; null: they run at once */
  unschedulable: string | null = null;
  readonly #folder = mkdtempSync(join(tmpdir(), 'espalier-kubernetes-'));
  readonly #processes = new Map<string, ContainerProcess>();
  #server: Server | undefined;

  /** A kubeconfig file for it. */
  get kubeconfig(): string {
    return join(this.#folder, 'kubeconfig');
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'test', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'test', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    };
    writeFileSync(this.kubeconfig, JSON.stringify(config));
    return this;
  }

  async stop(): Promise<void> {
    for (const each of this.#processes.values()) each.kill();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
    removeFolder(this.#folder);
  }

  /** Deletes a pod for one of a higher priority, as the scheduler does: it has its grace period, and is gone when it has ended. */
  preempt(job: string): void {
    const pod = this.pods.get(job);
    if (pod === undefined) return;
    pod.metadata.deletionTimestamp = new Date().toISOString();
    pod.status.conditions = [
      { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'preempting' },
    ];
    this.#processes.get(job)?.stop(this.jobs.get(job)?.spec.template.spec.terminationGracePeriodSeconds ?? 0);
  }

  /** Tries again to create and run the pods that do not run. */
  schedule(): void {
    this.unschedulable = null;
    for (const name of this.jobs.keys()) if (!this.#processes.has(name)) this.#run(name);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    this.requests.push(`${request.method ?? ''} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as never;
    const [code, answer] = this.#answer(request, url, body);
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answer(request: IncomingMessage, url: URL, body: never): [number, unknown] {
    const status = (code: number, reason: string, message: string): [number, unknown] => [
      code,
      { kind: 'Status', apiVersion: 'v1', status: code < 300 ? 'Success' : 'Failure', reason, message, code },
    ];
    if (request.headers.authorization !== `Bearer ${token}`)
      return status(401, 'Unauthorized', 'Unauthorized');
    const found =
      /^\/(?:api\/v1|apis\/batch\/v1)\/namespaces\/lab\/(jobs|pods|secrets|events)(?:\/([^/]+))?$/.exec(
        url.pathname,
      );
    if (found === null) return status(404, 'NotFound', 'the server could not find the requested resource');
    const [, kind = '', name = ''] = found;
    if (this.withoutRight.has(kind as Kind)) {
      const more = name === '' ? 'deletecollection' : 'delete';
      const verb = { GET: 'list', POST: 'create' }[request.method ?? ''] ?? more;
      const [long, group] = kind === 'jobs' ? ['jobs.batch', 'batch'] : [kind, ''];
      const what = `cannot ${verb} resource "${kind}" in API group "${group}" in the namespace "lab"`;
      return status(403, 'Forbidden', `${long} is forbidden: User "${account}" ${what}`);
    }
    const store = this[kind as Kind] as Map<string, { metadata: Metadata }>;
    const labels = url.searchParams.get('labelSelector') ?? '';
    const fields = url.searchParams.get('fieldSelector') ?? '';
    const selected = [...store.values()].filter(
      (one) => matches(one.metadata.labels, labels) && matches(flatten(one), fields),
    );
    switch (request.method) {
      case 'GET':
        return [200, { kind: 'List', apiVersion: 'v1', metadata: {}, items: selected }];
      case 'POST': {
        const { metadata } = body as { metadata: Metadata };
        if (store.has(metadata.name))
          return status(409, 'AlreadyExists', `${kind} "${metadata.name}" already exists`);
        const unknown = kind === 'jobs' ? unknownFields(body) : [];
        if (unknown.length > 0 && url.searchParams.get('fieldValidation') === 'Strict') {
          const findings = unknown.map((path) => `unknown field "${path}"`).join(', ');
          const words = 'Job in version "v1" cannot be handled as a Job: strict decoding error';
          return status(400, 'BadRequest', `${words}: ${findings}`);
        }
        const { stringData, ...rest } = body as { stringData?: Record<string, string> };
        const made = {
          ...rest,
          ...(stringData !== undefined && { data: encode(stringData) }),
          metadata: { ...metadata, creationTimestamp: new Date() },
          status: {},
        };
        store.set(metadata.name, made as never);
        if (kind === 'jobs') this.#run(metadata.name);
        return [201, made];
      }
      case 'DELETE': {
        if (kind === 'pods' && name === '') {
          for (const pod of selected) this.#processes.get(pod.metadata.labels[jobLabel] ?? '')?.kill();
          return status(200, '', '');
        }
        if (!store.has(name)) return status(404, 'NotFound', `${kind} "${name}" not found`);
        if (kind === 'jobs') this.#delete(name);
        else store.delete(name);
        return status(200, '', '');
      }
      default:
        return status(405, 'MethodNotAllowed', 'the server does not allow this method');
    }
  }

  /** What the job controller, the scheduler and the kubelet do. */
  #run(name: string): void {
    const job = this.jobs.get(name);
    const container = job?.spec.template.spec.containers[0];
    if (job === undefined || container === undefined) return;
    if (this.admission !== null) return this.#refuse(name, this.admission);
    const labels = { ...job.spec.template.metadata.labels, [jobLabel]: name };
    const pod: Pod = { metadata: { name: `${name}-x`, labels }, spec: {}, status: { phase: 'Pending' } };
    this.pods.set(name, pod);
    if (this.unschedulable !== null) {
      const message = this.unschedulable;
      pod.status.conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
      return;
    }
    const secrets = (container.envFrom ?? []).map(({ secretRef }) =>
      decodeSecret(this.secrets.get(secretRef?.name ?? '')?.data ?? {}),
    );
    pod.spec.nodeName = 'node-1';
    pod.status = runningStatus(container);
    this.#processes.set(
      name,
      new ContainerProcess(container, {}, secrets, (ended) => this.#end(name, container, ended)),
    );
  }

  /** The Job is there, and stays without a pod; its controller tells that by an Event, and tries again. */
  #refuse(name: string, finding: string): void {
    const id = `${name}.${this.events.size}`;
    const isWebhook = finding.startsWith('admission webhook');
    this.events.set(id, {
      metadata: { name: id, labels: {} },
      involvedObject: { kind: 'Job', namespace: 'lab', name },
      type: 'Warning',
      reason: 'FailedCreate',
      message: `Error creating: ${isWebhook ? '' : `pods "${name}-x" is forbidden: `}${finding}`,
      lastTimestamp: new Date().toISOString(),
    });
  }

  #end(name: string, container: Container, ended: Terminated): void {
    const job = this.jobs.get(name);
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    const status = endedStatus(container, ended);
    const disruption = pod.status.conditions?.filter(({ type }) => type === 'DisruptionTarget') ?? [];
    pod.status = { ...status, conditions: [...status.conditions, ...disruption] };
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    const conditions =
      ended.exitCode === 0 && !isDeleted
        ? [{ type: 'Complete', status: 'True' }]
        : [{ type: 'Failed', status: 'True', message: 'Job has reached the specified backoff limit' }];
    // the controller hears of it a moment later
    setTimeout(() => {
      if (isDeleted || job === undefined) this.pods.delete(name);
      if (job === undefined) return;
      job.status.conditions = conditions;
      if (job.metadata.deletionTimestamp !== undefined) this.#remove(name);
    }, controllerMs).unref();
  }

  /** Foreground deletion: the pod gets SIGTERM, and the Job is there until it has ended. */
  #delete(name: string): void {
    const job = this.jobs.get(name);
    const container = this.#processes.get(name);
    if (job === undefined) return;
    job.metadata.deletionTimestamp = new Date().toISOString();
    if (container === undefined || container.isOver) return this.#remove(name);
    container.stop(job.spec.template.spec.terminationGracePeriodSeconds);
  }

  #remove(name: string): void {
    this.jobs.delete(name);
    this.pods.delete(name);
  }
}

const encode = (data: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** Fields of the pod of a Job that Kubernetes does not know. */
function unknownFields({ spec }: KubernetesJob): string[] {
  const pod = spec.template.spec;
  const strange = (given: object, known: readonly { baseName: string }[], path: string): string[] =>
    Object.keys(given)
      .filter((key) => known.every(({ baseName }) => baseName !== key))
      .map((key) => `${path}.${key}`);
  return [
    ...strange(pod, V1PodSpec.getAttributeTypeMap(), 'spec.template.spec'),
    ...pod.containers.flatMap((container, index) =>
      strange(container, V1Container.getAttributeTypeMap(), `spec.template.spec.containers[${index}]`),
    ),
  ];
}

/** Fields by their paths, as field selectors name them. */
function flatten(object: object, prefix = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(object).map(([key, value]) =>
      typeof value === 'object' && value !== null
        ? flatten(value as object, `${prefix}${key}.`)
        : { [`${prefix}${key}`]: String(value) },
    ),
  ) as Record<string, string>;
}

function matches(labels: Readonly<Record<string, string>>, selector: string): boolean {
  return selector
    .split(',')
    .filter((part) => part !== '')
    .every((part) => {
      const [key = '', value] = part.split('=');
      return labels[key] === value;
    });
}
