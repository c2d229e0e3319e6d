/** @file The namespace `lab` of a real cluster, with what the Helm chart puts there: the service account of the server and its Role. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, type KubernetesObject, KubernetesObjectApi, type V1Role } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import type { KubernetesCluster } from './kubernetes-cluster.js';

export const namespace = 'lab';
/** the service account of the server */
export const account = 'train-server';

const rendered = fileURLToPath(new URL('../golden/helm/rendered.json', import.meta.url));

/** What Helm has rendered of the chart, by case (test/golden/helm). */
export function renderedChart(): Map<string, KubernetesObject[]> {
  const { cases } = JSON.parse(readFileSync(rendered, 'utf8')) as {
    cases: Record<string, Record<string, string>>;
  };
  const read = (files: Record<string, string>): KubernetesObject[] =>
    Object.entries(files)
      .filter(([path]) => path.endsWith('.yaml'))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject))
      .filter((one) => one !== null);
  return new Map(Object.entries(cases).map(([name, files]) => [name, read(files)]));
}

export interface Lab {
  /** kubeconfig of the server's service account */
  readonly kubeconfig: string;
  readonly token: string;
  /** Gives the server's service account other rights, until the function that it returns is called. */
  withRules(change: (rules: NonNullable<V1Role['rules']>) => V1Role['rules']): Promise<() => Promise<void>>;
}

export async function prepareLab(cluster: KubernetesCluster): Promise<Lab> {
  const objects = KubernetesObjectApi.makeApiClient(cluster.admin);
  await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const chart = renderedChart().get('defaults') ?? [];
  const rights = chart.filter(({ kind }) => ['ServiceAccount', 'Role', 'RoleBinding'].includes(kind ?? ''));
  for (const one of rights) await objects.create({ ...one, metadata: { ...one.metadata, namespace } });
  const role = rights.find(({ kind }) => kind === 'Role') as V1Role & KubernetesObject;
  const setRules = async (rules: V1Role['rules']): Promise<void> => {
    const header = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
    await objects.replace({
      ...header,
      metadata: { name: role.metadata?.name ?? '', namespace },
      rules,
    } as never);
  };
  // without its default service account, a namespace admits no pod
  const core = cluster.admin.makeApiClient(CoreV1Api);
  const isThere = () =>
    core.readNamespacedServiceAccount({ namespace, name: 'default' }).then(
      () => true,
      () => false,
    );
  while (!(await isThere())) await sleep(100);
  const token = await cluster.tokenOf(namespace, account);
  return {
    kubeconfig: cluster.kubeconfig('server', token),
    token,
    async withRules(change) {
      await setRules(change(structuredClone(role.rules ?? [])));
      return () => setRules(role.rules);
    },
  };
}

/** The files that a pod has of its service account. @returns their folder */
export function writeAccountFiles(cluster: KubernetesCluster, token: string): Record<string, string> {
  const files = { token, namespace, 'ca.crt': readFileSync(cluster.ca, 'utf8') };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const path = join(cluster.folder, `account-${name}`);
      writeFileSync(path, text);
      return [name, path];
    }),
  );
}
