/** @file A node of a real Kubernetes cluster that runs the containers of its pods as processes of this machine (kubelet.ts). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CoreV1Api,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1Pod,
} from '@kubernetes/client-node';
import { ContainerProcess, decodeSecret, endedStatus, runningStatus, type Terminated } from './kubelet.js';

const program = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const pollMs = 200;
const heartbeatMs = 1000;
const capacity = { cpu: '64', memory: '256Gi', pods: '110', 'nvidia.com/gpu': '8' };

interface Own {
  readonly process?: ContainerProcess;
  isStopping: boolean;
  ended: Terminated | null;
  isReported: boolean;
}

export class KubernetesNode {
  readonly name: string;
  readonly #core: CoreV1Api;
  readonly #folder: string;
  readonly #pods = new Map<string, Own>();
  #isUp = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(name: string, config: KubeConfig, folder: string) {
    this.name = name;
    this.#core = config.makeApiClient(CoreV1Api);
    this.#folder = join(folder, name);
  }

  /** Registers the node, and runs what is bound to it. */
  async start(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    await this.#core.createNode({
      body: {
        metadata: { name: this.name, labels: { 'kubernetes.io/hostname': this.name } },
        status: { capacity, allocatable: capacity, conditions: this.#conditions() as never },
      },
    });
    this.#isUp = true;
    this.#work = Promise.all([
      this.#repeat(pollMs, () => this.#sync()),
      this.#repeat(heartbeatMs, () => this.#beat()),
    ]);
  }

  /** Falls silent, as if its cable were pulled: what runs there goes on. */
  async cut(): Promise<void> {
    this.#isUp = false;
    await this.#work;
  }

  /** Loses its power: it is silent, and nothing runs there any more. */
  async stop(): Promise<void> {
    await this.cut();
    for (const { process } of this.#pods.values()) process?.kill();
  }

  async #repeat(ms: number, work: () => Promise<unknown>): Promise<void> {
    while (this.#isUp) {
      // the API server may be away for a while
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }

  #conditions(): object[] {
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const beat = { lastHeartbeatTime: new Date(time), reason: 'KubeletReady', message: 'it is ready' };
    return [{ type: 'Ready', status: 'True', ...beat }];
  }

  #beat(): Promise<unknown> {
    const body = { status: { conditions: this.#conditions() } };
    return this.#core.patchNodeStatus({ name: this.name, body }, merging);
  }

  async #sync(): Promise<void> {
    const { items } = await this.#core.listPodForAllNamespaces({
      fieldSelector: `spec.nodeName=${this.name}`,
    });
    for (const pod of items) await this.#syncPod(pod);
    const listed = new Set(items.map(({ metadata }) => metadata?.uid));
    for (const [uid, own] of this.#pods) if (!listed.has(uid)) own.process?.kill();
  }

  async #syncPod(pod: V1Pod): Promise<void> {
    const { metadata = {}, status = {} } = pod;
    const isDeleted = metadata.deletionTimestamp !== undefined;
    const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
    let own = this.#pods.get(metadata.uid ?? '');
    if (own === undefined) {
      if (isOver && !isDeleted) return;
      own = isOver || isDeleted ? unstarted(isOver) : await this.#run(pod);
      this.#pods.set(metadata.uid ?? '', own);
    }
    if (isDeleted && !own.isStopping) {
      own.isStopping = true;
      own.process?.stop(metadata.deletionGracePeriodSeconds ?? 0);
    }
    if (own.ended !== null && !own.isReported) {
      await this.#report(pod, endedStatus(pod.spec?.containers[0] as never, own.ended));
      own.isReported = true;
    }
    const { name = '', namespace = '', uid = '' } = metadata;
    // a pod is there until its node says that it has ended
    if (isDeleted && own.isReported && metadata.deletionGracePeriodSeconds !== 0)
      // what the body leaves out, the query does not add
      await this.#core.deleteNamespacedPod({
        name,
        namespace,
        body: { gracePeriodSeconds: 0, preconditions: { uid } },
      });
  }

  async #run(pod: V1Pod): Promise<Own> {
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const container = pod.spec?.containers[0] as NonNullable<V1Pod['spec']>['containers'][number];
    const secrets: Record<string, string>[] = [];
    for (const { secretRef } of container.envFrom ?? []) {
      const { data = {} } = await this.#core.readNamespacedSecret({ name: secretRef?.name ?? '', namespace });
      secrets.push(decodeSecret(data));
    }
    const folder = join(this.#folder, `${name}-${uid}`);
    mkdirSync(folder);
    const image = {
      entrypoint: [process.execPath, program],
      environment: { HOME: folder, TMPDIR: folder, ESPALIER__WORKER__DATA: join(folder, 'data') },
      folder,
    };
    await this.#report(pod, runningStatus(container));
    const own: Own & { process?: ContainerProcess } = { isStopping: false, ended: null, isReported: false };
    own.process = new ContainerProcess(container, image, secrets, (ended) => (own.ended = ended));
    return own;
  }

  #report({ metadata: { name = '', namespace = '' } = {} }: V1Pod, status: object): Promise<unknown> {
    return this.#core.patchNamespacedPodStatus({ name, namespace, body: { status } }, merging);
  }
}

/** Merges conditions by their type. */
const merging = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);

/** A pod that ended, or was deleted, before this node ran it. */
const unstarted = (isReported: boolean): Own => ({
  isStopping: true,
  ended: { exitCode: 137, reason: 'Error' },
  isReported,
});
