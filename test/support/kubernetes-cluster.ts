/**
 * @file A real Kubernetes control plane on this machine: etcd, an API server with TLS and RBAC, the controllers and the
 * scheduler, and two nodes that run containers as processes (kubernetes-node.ts). `npm run check:kubernetes` builds the program.
 */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { findProgram, freePort, removeFolder, ServiceProcess } from '@espalier/testing';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { KubernetesNode } from './kubernetes-node.js';

/** names the program with the control plane */
export const kubernetesVariable = 'ESPALIER_KUBERNETES';

/** What this machine lacks. */
export const missingKubernetes = (): string[] => [
  ...['etcd', 'openssl', 'bwrap'].filter((name) => findProgram(name) === undefined),
  ...(process.env[kubernetesVariable] === undefined ? ['npm run check:kubernetes'] : []),
];

export interface KubernetesCluster {
  readonly url: string;
  /** certificate of the authority that the API server's is from */
  readonly ca: string;
  /** may do everything */
  readonly admin: KubeConfig;
  readonly nodes: KubernetesNode[];
  readonly folder: string;
  /** Writes a kubeconfig; returns its path. */
  kubeconfig(name: string, token: string, more?: object): string;
  /** A token of a service account, as a pod has one. */
  tokenOf(namespace: string, account: string): Promise<string>;
  /** Posts an object as it is, where the client would leave out what it does not know. */
  post(path: string, body: object): Promise<{ readonly code: number; readonly message: string }>;
  addNode(name: string): Promise<KubernetesNode>;
  /** Kills the API server and starts it again. @param whileAway waited for between */
  restartApi(whileAway?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

export async function startKubernetes(): Promise<KubernetesCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-kubernetes-'));
  const token = randomBytes(16).toString('hex');
  makeKeys(folder, token);
  const [etcdPort, peerPort, apiPort, managerPort, schedulerPort] = await freePorts(5);
  const url = `https://127.0.0.1:${apiPort}`;
  const ca = join(folder, 'ca.crt');
  const admin = new KubeConfig();
  const describe = (name: string, given: string, more: object = {}): string => {
    const path = join(folder, `${name}.kubeconfig`);
    writeFileSync(path, JSON.stringify(kubeconfigOf(url, ca, given, more)), { mode: 0o600 });
    return path;
  };
  const adminFile = describe('admin', token);
  admin.loadFromFile(adminFile);
  const service = (name: string, words: readonly string[], file = process.env[kubernetesVariable] ?? '') =>
    new ServiceProcess(file, words, join(folder, `${name}.log`), own);
  const etcd = service('etcd', etcdOptions(folder, etcdPort, peerPort), findProgram('etcd'));
  const startApi = (): ServiceProcess =>
    service('api', ['kube-apiserver', ...apiOptions(folder, etcdPort, apiPort)]);
  let api = startApi();
  const core = admin.makeApiClient(CoreV1Api);
  const isReady = (): Promise<boolean> =>
    core.readNamespacedServiceAccount({ namespace: 'default', name: 'default' }).then(
      () => true,
      (error: unknown) => (error as { code?: unknown }).code === 404,
    );
  const nodes: KubernetesNode[] = [];
  const others: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const node of nodes) await node.stop();
    for (const each of [...others, api, etcd]) await each.end('SIGKILL');
    removeFolder(folder);
  };
  const addNode = async (name: string): Promise<KubernetesNode> => {
    const node = new KubernetesNode(name, admin, folder);
    nodes.push(node);
    await node.start();
    return node;
  };
  try {
    await api.ready(isReady);
    const common = [`--kubeconfig=${adminFile}`, '--leader-elect=false', '--bind-address=127.0.0.1'];
    others.push(
      service('manager', ['kube-controller-manager', ...common, ...managerOptions(folder, managerPort)]),
    );
    const place = [`--secure-port=${schedulerPort}`, `--cert-dir=${join(folder, 'scheduler')}`];
    others.push(service('scheduler', ['kube-scheduler', ...common, ...place]));
    for (const name of ['n1', 'n2']) await addNode(name);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    ca,
    admin,
    nodes,
    folder,
    kubeconfig: describe,
    async tokenOf(namespace, name) {
      const body = { spec: { audiences: [], expirationSeconds: 3600 } };
      const { status } = await core.createNamespacedServiceAccountToken({ namespace, name, body });
      return status?.token ?? '';
    },
    post: (path, body) => post(`${url}${path}`, readFileSync(ca), token, body),
    addNode,
    async restartApi(whileAway) {
      await api.end('SIGKILL');
      await whileAway?.();
      api = startApi();
      await api.ready(isReady);
    },
    stop,
  };
}

const freePorts = async (count: number): Promise<[number, number, number, number, number]> => {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  return ports as [number, number, number, number, number];
};

async function post(url: string, ca: Buffer, token: string, body: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const request = https.request(url, { method: 'POST', ca, headers }).end(JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { message = '' } = (await json(response)) as { message?: string };
  return { code: response.statusCode ?? 0, message };
}

const kubeconfigOf = (server: string, ca: string, token: string, more: object) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'test', cluster: { server, 'certificate-authority': ca, ...more } }],
  users: [{ name: 'test', user: { token } }],
  contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  'current-context': 'test',
});

/** An authority and a certificate of the API server, the key of service accounts, and the token of the administrator. */
function makeKeys(folder: string, token: string): void {
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const names = 'subjectAltName=IP:127.0.0.1,DNS:kubernetes.default.svc';
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=test-ca',
  );
  openssl('req', ...key, '-keyout', 'api.key', '-out', 'api.csr', '-subj', '/CN=kube-apiserver');
  writeFileSync(join(folder, 'names'), names);
  const issuer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'api.csr', '-out', 'api.crt', '-days', '2', ...issuer);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(folder, 'accounts.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'accounts.pub'), publicKey);
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
}

const etcdOptions = (folder: string, port: number, peerPort: number): string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
];

const apiOptions = (folder: string, etcdPort: number, port: number): string[] => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  '--endpoint-reconciler-type=none',
  `--secure-port=${port}`,
  `--tls-cert-file=${join(folder, 'api.crt')}`,
  `--tls-private-key-file=${join(folder, 'api.key')}`,
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--authorization-mode=Node,RBAC',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'accounts.pub')}`,
  `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
  '--service-cluster-ip-range=10.96.0.0/16',
  // pods leave a silent node after these, 300 by default
  '--default-not-ready-toleration-seconds=2',
  '--default-unreachable-toleration-seconds=2',
];

const managerOptions = (folder: string, port: number): string[] => [
  `--secure-port=${port}`,
  `--cert-dir=${join(folder, 'manager')}`,
  `--service-account-private-key-file=${join(folder, 'accounts.key')}`,
  `--root-ca-file=${join(folder, 'ca.crt')}`,
  '--node-monitor-period=1s',
  // a node is silent after this, 50 s by default
  '--node-monitor-grace-period=8s',
];

/** What the programs of a cluster have written, for a test that fails. */
export const logsOf = ({ folder }: KubernetesCluster, name: string): string =>
  readFileSync(join(folder, `${name}.log`), 'utf8');
