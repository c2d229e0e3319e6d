import { environmentIds } from './items/environment-ids.js';
import { textArenaGames, wrappedGames } from './items/peer-games.js';
import type { BenchItem } from './row.js';

/** All items by name, loaded on demand; each runs in its own process, so that peak memory is its own. */
export const benchItems: Readonly<Record<string, () => Promise<BenchItem>>> = {
  'train-step/5m': async () => (await import('./items/train-step.js')).trainStep5m,
  'train-step/135m': async () => (await import('./items/train-step.js')).trainStep135m,
  'train-step/smollm2': async () => (await import('./items/train-step.js')).trainStepSmollm2,
  'train-step-bf16/5m': async () => (await import('./items/train-step.js')).trainStepBf16('5m'),
  'train-step-bf16/135m': async () => (await import('./items/train-step.js')).trainStepBf16('135m'),
  'decode/5m/1': async () => (await import('./items/decode.js')).decode5m(1),
  'decode/5m/16': async () => (await import('./items/decode.js')).decode5m(16),
  'decode/5m/128': async () => (await import('./items/decode.js')).decode5m(128),
  'decode/135m/1': async () => (await import('./items/decode.js')).decode135m(1),
  'decode/135m/16': async () => (await import('./items/decode.js')).decode135m(16),
  'decode-step/135m/16': async () => (await import('./items/decode-step.js')).decodeStep135m,
  'prompts/5m/64': async () => (await import('./items/decode-step.js')).shortPrompts5m,
  'decode-bf16/5m/1': async () => (await import('./items/decode-precision.js')).decodeBf16('5m', 1),
  'decode-bf16/5m/16': async () => (await import('./items/decode-precision.js')).decodeBf16('5m', 16),
  'decode-bf16/5m/128': async () => (await import('./items/decode-precision.js')).decodeBf16('5m', 128),
  'decode-bf16/135m/1': async () => (await import('./items/decode-precision.js')).decodeBf16('135m', 1),
  'decode-bf16/135m/16': async () => (await import('./items/decode-precision.js')).decodeBf16('135m', 16),
  'decode-int8/5m/1': async () => (await import('./items/decode-precision.js')).decodeInt8('5m', 1),
  'decode-int8/5m/16': async () => (await import('./items/decode-precision.js')).decodeInt8('5m', 16),
  'decode-int8/135m/1': async () => (await import('./items/decode-precision.js')).decodeInt8('135m', 1),
  'decode-int8/135m/16': async () => (await import('./items/decode-precision.js')).decodeInt8('135m', 16),
  'adapted-token/135m': async () => (await import('./items/adapted-token.js')).adaptedToken,
  'env/code-repair': async () => (await import('./items/code-repair.js')).codeRepairPrograms,
  ...environmentItems(),
  'search/webshop': async () => (await import('./items/webshop-search.js')).webshopSearch,
  ...peerItems(),
  'levels/sokoban': async () => (await import('./items/environments.js')).sokobanLevels,
  'iteration/trl-shape': async () => (await import('./items/trl-iteration.js')).trlIteration,
  plan: async () => (await import('./items/plan.js')).planErrors,
  'plugin/create': async () => (await import('./items/plugin-create.js')).pluginCreate,
  'smollm2/first-token': async () => (await import('./items/smollm2.js')).firstToken,
  'smollm2/decode/16': async () => (await import('./items/smollm2.js')).decodeSmollm2,
  'memory/seedling': async () => (await import('./items/memory.js')).seedlingMemory,
  'memory/smollm2/lora': async () => (await import('./items/memory.js')).smollm2Memory('lora'),
  'memory/smollm2/lora-recompute': async () =>
    (await import('./items/memory.js')).smollm2Memory('lora-recompute'),
  'memory/smollm2/lora-echo': async () => (await import('./items/memory.js')).smollm2Memory('lora-echo'),
  'memory/smollm2/full-recompute': async () =>
    (await import('./items/memory.js')).smollm2Memory('full-recompute'),
  'memory/smollm2/warm-start': async () => (await import('./items/memory.js')).smollm2Memory('warm-start'),
  'memory/qwen2.5-0.5b/lora': async () => (await import('./items/memory.js')).qwenMemory,
  'padding/frozen-lake': async () => (await import('./items/padding.js')).frozenLakePadding,
  'server-start': async () => (await import('./items/server-start.js')).serverStart,
  monitor: async () => (await import('./items/monitor.js')).monitor,
  'tinker-overhead': async () => (await import('./items/tinker-overhead.js')).tinkerOverhead,
  iteration: async () => (await import('./items/iteration.js')).iteration,
  'in-flight': async () => (await import('./items/in-flight.js')).inFlight,
  'server-ingest/sqlite': async () =>
    (await import('./items/server-ingest.js')).serverIngest('sqlite', 50_000),
  'server-ingest/postgres': async () =>
    (await import('./items/server-ingest.js')).serverIngest('postgres', 30_000),
  'server-fanout/socket': async () =>
    (await import('./items/server-fanout.js')).serverFanout('socket', 20_000),
  'server-fanout/graphql': async () =>
    (await import('./items/server-fanout.js')).serverFanout('graphql', 8000),
  'server-history/sqlite': async () => (await import('./items/server-queries.js')).serverHistory('sqlite'),
  'server-history/postgres': async () =>
    (await import('./items/server-queries.js')).serverHistory('postgres'),
  'server-search/sqlite': async () => (await import('./items/server-queries.js')).serverSearch('sqlite'),
  'server-search/postgres': async () => (await import('./items/server-queries.js')).serverSearch('postgres'),
  'server-stalled': async () => (await import('./items/server-followers.js')).serverStalled,
  'server-reconnects': async () => (await import('./items/server-followers.js')).serverReconnects,
  'server-anonymous': async () => (await import('./items/server-anonymous.js')).serverAnonymous,
  'server-follow-cost': async () => (await import('./items/server-follow-cost.js')).serverFollowCost,
  'dashboard/open': async () => (await import('./items/dashboard.js')).dashboardOpen,
  'dashboard/push': async () => (await import('./items/dashboard.js')).dashboardPush,
  'dashboard/overlay': async () => (await import('./items/dashboard.js')).dashboardOverlay,
  'dashboard/events': async () => (await import('./items/dashboard.js')).dashboardEvents,
  'dashboard/trajectory': async () => (await import('./items/dashboard-trajectory.js')).dashboardTrajectory,
  'dashboard/trajectory-views': async () =>
    (await import('./items/dashboard-trajectory.js')).dashboardTrajectoryViews,
  'dashboard/push-trained': async () => (await import('./items/dashboard-trained.js')).dashboardPushTrained,
  'dashboard/token': async () => (await import('./items/dashboard-trajectory.js')).dashboardToken,
  'dashboard-beside/mlflow': async () => (await import('./items/dashboard-beside.js')).besideMlflow,
  'dashboard-beside/trackio': async () => (await import('./items/dashboard-beside.js')).besideTrackio,
  'dashboard-beside/tensorboard': async () => (await import('./items/dashboard-beside.js')).besideTensorBoard,
  'scale/workers': async () => (await import('./items/scale-workers.js')).scaleWorkers,
  'scale/runs': async () => (await import('./items/scale-stored.js')).scaleRuns,
  'scale/values': async () => (await import('./items/scale-stored.js')).scaleValues,
  'scale/followers': async () => (await import('./items/scale-workers.js')).scaleFollowers,
  'server-placement': async () => (await import('./items/server-placement.js')).serverPlacement,
};

type Items = Record<string, () => Promise<BenchItem>>;

function environmentItems(): Items {
  const load = (id: string) => async () => (await import('./items/environments.js')).environmentSteps(id);
  return Object.fromEntries(environmentIds.map((id) => [`env/${id}`, load(id)]));
}

/** Items of TextArena's games, and of what RAGEN wraps, beside ours. */
function peerItems(): Items {
  const load = async () => (await import('./items/beside-python.js')).besidePython;
  const textArena = { name: 'TextArena', imports: ['textarena'], program: 'play_textarena.py' };
  const items: Items = {};
  for (const [id, game] of Object.entries(textArenaGames)) {
    const item = `textarena/${id}`;
    items[item] = async () => (await load())(item, id, textArena, game);
  }
  for (const [item, { imports, ...game }] of Object.entries(wrappedGames)) {
    const [name = '', id = ''] = item.split('/');
    items[item] = async () => (await load())(item, id, { name, imports, program: 'play_gymnasium.py' }, game);
  }
  return items;
}
