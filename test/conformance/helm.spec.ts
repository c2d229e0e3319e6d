/**
 * @file The Helm chart. Helm itself has linted and rendered it (test/golden/helm/render_chart.py); here the result is read,
 * and where Python has the package helm-python-sdk, it is made anew.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveDeployment } from '@espalier/config';
import { serverOptions } from '@espalier/server';
import { removeFolder } from '@espalier/testing';
import { loadWorkerOptions } from '@espalier/worker';
import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const chart = join(root, 'deploy/helm/espalier');
const script = join(root, 'test/golden/helm/render_chart.py');

interface Report {
  readonly sha256: string;
  readonly lint: {
    readonly errors: readonly string[];
    readonly messages: readonly { readonly severity: number; readonly error: string }[];
  };
  readonly cases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // what a test looks at differs by kind
  readonly [field: string]: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

const report = JSON.parse(readFileSync(join(root, 'test/golden/helm/rendered.json'), 'utf8')) as Report;

function resourcesOf(name: string): Resource[] {
  const files = Object.entries(report.cases[name] ?? {}).filter(([path]) => path.endsWith('.yaml'));
  return files
    .flatMap(([, text]) => parseAllDocuments(text))
    .flatMap((document) => {
      expect(document.errors).toEqual([]);
      const resource = document.toJS() as Resource | null;
      return resource === null ? [] : [resource];
    });
}
const only = (found: readonly Resource[], kind: string, name: string): Resource => {
  const matching = found.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(matching, `${kind} ${name}`).toHaveLength(1);
  return matching[0] as Resource;
};
const podOf = ({ spec }: Resource) => (spec as { template: { spec: Resource } }).template.spec;
const environmentOf = (pod: Resource): Record<string, string> =>
  Object.fromEntries(
    (pod['containers'][0].env as Variable[]).map(({ name, value, valueFrom }) => [
      name,
      value ?? `${valueFrom?.secretKeyRef?.key ?? 'of-the-pod'}-${'x'.repeat(32)}`,
    ]),
  );

describe('the Helm chart', () => {
  it('is what Helm has linted without a finding, and rendered', () => {
    const digest = createHash('sha256');
    const files = readdirSync(chart, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const paths = files.map(({ parentPath, name }) => relative(chart, join(parentPath, name)));
    for (const path of paths.sort())
      digest
        .update(`${path}\0`)
        .update(readFileSync(join(chart, path)))
        .update('\0');
    expect(report.sha256, 'the chart has changed: run test/golden/helm/render_chart.py').toBe(
      digest.digest('hex'),
    );
    expect(report.lint.errors).toEqual([]);
    // 1: information
    expect(report.lint.messages.filter(({ severity }) => severity > 1)).toEqual([]);
  });

  it('gives server and workers settings that they accept', () => {
    for (const name of ['defaults', 'workers', 'sqlite']) {
      const found = resourcesOf(name);
      const folder = mkdtempSync(join(tmpdir(), 'espalier-chart-'));
      const file = join(folder, 'server.yaml');
      writeFileSync(file, only(found, 'ConfigMap', 'train-server')['data']['server.yaml'] as string);
      const environment = environmentOf(podOf(only(found, 'Deployment', 'train-server')));
      if ('ESPALIER__SERVER__DATABASE__URL' in environment)
        environment['ESPALIER__SERVER__DATABASE__URL'] = 'postgres://u:p@h:5432/n';
      const options = resolveDeployment(serverOptions, file, environment, 'ESPALIER__SERVER');
      expect(options.database.kind).toBe(name === 'sqlite' ? 'sqlite' : 'postgres');
      expect(options.artifacts.store.driver).toBe(name === 'sqlite' ? 'directory' : 's3');
      expect(options.http.hosts).toContain('train-server.lab.svc');
      if (name === 'workers') {
        expect(options).toMatchObject({
          leaseSeconds: 30,
          launchers: [{ name: 'pods', driver: 'kubernetes' }],
        });
        expect(options.http.hosts).toContain('train.example');
        const worker = podOf(only(found, 'StatefulSet', 'train-worker-gpu'));
        const given = loadWorkerOptions(join(folder, 'none.yaml'), environmentOf(worker));
        expect(given).toMatchObject({
          server: 'http://train-server:4500',
          labels: ['h100'],
          drainSeconds: 900,
          hubOwners: ['Qwen'],
        });
      }
      removeFolder(folder);
    }
  });

  it('probes the server, and leads to the active one alone', () => {
    const found = resourcesOf('defaults');
    const { spec } = only(found, 'Deployment', 'train-server');
    expect(spec).toMatchObject({ replicas: 2, strategy: { type: 'Recreate' } });
    const [container] = spec.template.spec.containers;
    const probe = (path: string) => ({
      path,
      port: 'http',
      httpHeaders: [{ name: 'Host', value: 'localhost' }],
    });
    expect(container.readinessProbe.httpGet).toEqual(probe('/health/ready'));
    expect(container.livenessProbe.httpGet).toEqual(probe('/health/live'));
    expect(container.startupProbe.httpGet).toEqual(probe('/health/live'));
    const service = only(found, 'Service', 'train-server').spec;
    expect(spec.template.metadata.labels).toMatchObject(service.selector);
    expect(service.ports[0].targetPort).toBe(container.ports[0].name);
    // a takeover is seen within two seconds
    expect(container.readinessProbe.periodSeconds).toBeLessThanOrEqual(2);
    expect(container.readinessProbe.failureThreshold).toBe(1);
  });

  it('requests GPUs for workers, and leaves them time to drain', () => {
    const found = resourcesOf('workers');
    const pod = podOf(only(found, 'StatefulSet', 'train-worker-gpu'));
    expect(pod).toMatchObject({ terminationGracePeriodSeconds: 1020, nodeSelector: { pool: 'gpu' } });
    expect(pod['containers'][0].resources).toEqual({
      requests: { cpu: 4, memory: '16Gi' },
      limits: { memory: '32Gi', 'nvidia.com/gpu': 1 },
    });
    const plain = podOf(only(found, 'StatefulSet', 'train-worker-cpu'));
    expect(plain['containers'][0].resources).toBeNull();
    for (const each of [pod, plain]) {
      const grace = Number(each['terminationGracePeriodSeconds']);
      const { drainSeconds, timing } = loadWorkerOptions('none.yaml', environmentOf(each));
      expect(grace * 1000).toBeGreaterThanOrEqual(drainSeconds * 1000 + timing.graceMs);
    }
  });

  it('lets nobody run as root, and keeps every secret in a Secret', () => {
    const pods = resourcesOf('workers').filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    expect(pods).toHaveLength(3);
    for (const pod of pods.map(podOf)) {
      expect(pod['securityContext'].runAsUser).toBe(1000);
      expect(pod['containers'][0].securityContext).toMatchObject({
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
      });
      for (const { name, value } of pod['containers'][0].env as Variable[])
        if (/KEY$|SECRET|DATABASE__URL/.test(name)) expect([name, value]).toEqual([name, undefined]);
    }
  });

  it('lets the server use what the launcher calls, and nothing more', () => {
    const { rules } = only(resourcesOf('defaults'), 'Role', 'train-launcher');
    expect(rules).toEqual([
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'list', 'delete'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'deletecollection'] },
      { apiGroups: [''], resources: ['events'], verbs: ['list'] },
    ]);
    expect(resourcesOf('sqlite').map(({ kind }) => kind)).not.toContain('Role');
  });

  it('refuses two servers on one SQLite file', () => {
    expect(report.cases['sqlite-twice']?.['error']).toMatch(/only one server can use SQLite/);
    expect(only(resourcesOf('sqlite'), 'PersistentVolumeClaim', 'train-server')['spec']).toMatchObject({
      accessModes: ['ReadWriteOnce'],
    });
  });
});

const python = process.env['HELM_PYTHON'] ?? 'python3';
const hasHelm = spawnSync(python, ['-c', 'import helm_python']).status === 0;
const describeHelm = hasHelm ? describe : describe.skip;
describeHelm(`the Helm chart, by Helm itself${hasHelm ? '' : ' (needs helm-python-sdk of PyPI)'}`, () => {
  it('is rendered as it is kept', () => {
    const { stdout, stderr, status } = spawnSync(python, [script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(report);
  });
});
