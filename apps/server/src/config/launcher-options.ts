/** @file Settings of launchers: where workers are started when jobs wait, and how many. */
import { z } from 'zod';

/** Labels and names of Kubernetes and Slurm, and of workers: short, in lower case. */
const plainName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/,
    'expected up to 30 lower-case letters, digits and dashes, such as `cluster-a`',
  );

const seconds = (most: number, least: number, what: string) => z.number().min(least).max(most).describe(what);

const workerNeeds = z.strictObject({
  kind: z
    .enum(['cpu', 'gpu'])
    .default('cpu')
    .describe('kind of its devices; a worker of kind cpu offers no GPU'),
  count: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('devices of that kind; CPU slots of a worker are set to this number'),
  memoryMb: z
    .int()
    .min(0)
    .default(0)
    .describe('memory of each device, MiB, so that only jobs that fit start one; 0: unknown, fits any job'),
  labels: z.array(z.string().min(1).max(64)).max(16).default([]).describe('labels that it gets'),
  server: z
    .union([z.url({ protocol: /^https?$/ }), z.array(z.url({ protocol: /^https?$/ })).min(1)])
    .optional()
    .describe(
      'address of this server as its workers see it, or several if a second server stands by; absent: the loopback address, for `local` only',
    ),
  command: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'command that starts a worker; empty: that of this installation (`local` and `slurm`), `espalier worker` (`ssh`), `worker` for the image (`kubernetes`)',
    ),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe(
      'further variables of its environment, such as ESPALIER__WORKER__MODELROOTS (config/worker.yaml) or HF_HOME',
    ),
});

const shared = {
  name: plainName.describe('unique among launchers; its workers are named after it'),
  worker: workerNeeds.prefault({}).describe('what each of its workers has and needs'),
  minimum: z.int().min(0).max(1000).default(0).describe('workers that run even if no job waits'),
  maximum: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe('workers at most, those that wait for a cluster included'),
  perProject: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('workers at most that were started for jobs of one project; 0: no limit'),
  idleSeconds: seconds(
    86_400,
    0,
    'a worker without a job for this long is drained and stopped, down to `minimum`',
  ).default(300),
  pendingSeconds: seconds(
    2_592_000,
    0,
    'a worker that the cluster has not started within this time is given up, and the launcher backs off; 0: waits for ever',
  ).default(3600),
  connectSeconds: seconds(
    86_400,
    1,
    'a worker that runs but has not connected within this time, or was disconnected for so long, is stopped and replaced',
  ).default(300),
  backoffSeconds: seconds(
    3600,
    0.1,
    'first delay after a failed start; it doubles with each failure in a row, up to an hour',
  ).default(10),
  pollSeconds: seconds(
    3600,
    0.2,
    'interval between looks at its workers in the cluster or on the host',
  ).default(5),
  stopSeconds: seconds(
    86_400,
    1,
    'a worker that is told to stop has this long to save and send everything, then it is killed; more than drainSeconds and timing.graceMs of the worker',
  ).default(720),
  commandSeconds: seconds(600, 1, 'timeout for an answer of the cluster or host').default(30),
};

const setup = z
  .string()
  .default('')
  .describe('shell commands that run on the machine before the worker, such as `module load node`');

const localLauncher = z.strictObject({
  driver: z.literal('local').describe('processes on the machine of the server'),
  ...shared,
  folder: z
    .string()
    .default('')
    .describe('folder of its workers; empty: `launchers/<name>` in the data folder'),
  setup,
});

const sshLauncher = z.strictObject({
  driver: z.literal('ssh').describe('processes on other machines, started with the program `ssh`'),
  ...shared,
  hosts: z
    .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$/, 'expected a host, or user@host'))
    .min(1)
    .describe(
      'machines, as `ssh` names them; Linux with a POSIX shell; keys and ports belong in ~/.ssh/config',
    ),
  perHost: z.int().min(1).max(64).default(1).describe('workers on one machine at most'),
  folder: z
    .string()
    .min(1)
    .default('.espalier-workers')
    .describe('folder of its workers on each machine; a relative path starts in the home folder'),
  program: z.string().min(1).default('ssh').describe('the program `ssh`'),
  options: z.array(z.string()).default([]).describe('further options of `ssh`, such as [-p, "2222"]'),
  setup,
});

const slurmLauncher = z.strictObject({
  driver: z
    .literal('slurm')
    .describe('jobs of a Slurm cluster, by `sbatch`, `squeue`, `sacct` and `scancel`'),
  ...shared,
  options: z
    .array(z.string().startsWith('-'))
    .default([])
    .describe('options of `sbatch`, such as [--partition=gpu, --gres=gpu:1, --time=24:00:00, --account=lab]'),
  folder: z
    .string()
    .default('')
    .describe(
      'folder of its workers on the nodes; it may be local to a node; empty: /tmp/espalier-workers-<id of the user>',
    ),
  logs: z
    .string()
    .default('')
    .describe('folder for the output of its workers, which a node can reach; empty: /tmp of the node'),
  programs: z
    .string()
    .default('')
    .describe('folder with the programs of Slurm; empty: they are found by PATH'),
  setup,
});

const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

/** Fields of a container that have settings of their own, and those. */
const elsewhere = { image: 'image', command: 'worker.command', args: 'worker.command' };

/** What the container of the worker gets besides; the API server checks the rest. */
const podContainer = z
  .looseObject({
    name: z.literal('worker', 'the container of the worker is named `worker`').optional(),
    env: z.array(z.looseObject({ name: z.string() })).optional(),
    envFrom: z.array(z.looseObject({})).optional(),
    resources: z.looseObject({ requests: quantities.optional(), limits: quantities.optional() }).optional(),
  })
  .superRefine((given, { addIssue }) => {
    for (const [field, setting] of Object.entries(elsewhere))
      if (field in given)
        addIssue({
          code: 'custom',
          path: [field],
          message: `set \`${setting}\` of the launcher`,
          input: given,
        });
  });

const podTemplate = z.looseObject({
  containers: z
    .array(podContainer)
    .max(
      1,
      'expected one container, that of the worker; a sidecar belongs in initContainers, with `restartPolicy: Always`',
    )
    .optional()
    .describe(
      'one entry, which completes the container of the worker: volumeMounts, env, securityContext, resources and the like',
    ),
});

const kubernetesLauncher = z.strictObject({
  driver: z.literal('kubernetes').describe('Jobs of a Kubernetes cluster'),
  ...shared,
  namespace: z.string().min(1).default('default').describe('namespace of the Jobs'),
  image: z.string().min(1).describe('image of Espalier'),
  kubeconfig: z
    .string()
    .default('')
    .describe('kubeconfig file; empty: the service account of this pod, or else what kubectl would use'),
  context: z.string().default('').describe('context of the kubeconfig; empty: its current one'),
  gpuResource: z
    .string()
    .min(1)
    .default('nvidia.com/gpu')
    .describe('resource of which a worker with GPUs requests `worker.count`'),
  resources: z
    .record(z.string(), quantities)
    .default({})
    .describe('requests and limits of its container, such as { requests: { cpu: 4, memory: 16Gi } }'),
  podTemplate: podTemplate
    .default({})
    .describe('further fields of the pod’s spec, such as { nodeSelector: …, tolerations: … }'),
});

const launcher = z.discriminatedUnion('driver', [
  localLauncher,
  sshLauncher,
  slurmLauncher,
  kubernetesLauncher,
]);
export type LauncherOptions = z.infer<typeof launcher>;
export type LocalLauncherOptions = z.infer<typeof localLauncher>;
export type SshLauncherOptions = z.infer<typeof sshLauncher>;
export type SlurmLauncherOptions = z.infer<typeof slurmLauncher>;
export type KubernetesLauncherOptions = z.infer<typeof kubernetesLauncher>;

export const launcherOptions = z.array(launcher).max(64).superRefine(findContradictions);

/** Reports contradictory launchers, each at the setting to change. */
function findContradictions(
  given: readonly LauncherOptions[],
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const names = new Set<string>();
  for (const [index, one] of given.entries()) {
    const { name, driver, minimum, maximum, worker } = one;
    const add = (path: (string | number)[], message: string): void =>
      addIssue({ code: 'custom', path: [index, ...path], message, input: given });
    if (names.has(name)) add(['name'], `two launchers are named ${name}; give each a name of its own`);
    names.add(name);
    if (minimum > maximum) add(['minimum'], `minimum ${minimum} exceeds maximum ${maximum}; lower it`);
    if (one.driver === 'ssh') {
      const hosts = new Set(one.hosts).size;
      const room = hosts * one.perHost;
      if (maximum > room)
        add(
          ['maximum'],
          `maximum ${maximum} exceeds ${room}, which is hosts (${hosts}) times perHost (${one.perHost}); lower it, raise perHost or add hosts`,
        );
    }
    if (driver !== 'local' && worker.server === undefined)
      add(
        ['worker', 'server'],
        'its workers run elsewhere; set worker.server to the address of this server as they see it',
      );
  }
}
