/** @file The views of a run, each loaded when it is first shown; the overview is part of the page. */
import { lazyView } from '../parts/lazy-view.js';

export const Trajectories = lazyView(() => import('../trajectories/trajectory-list.js'));
export const TrajectoryPage = lazyView(() => import('../trajectories/trajectory-page.js'));
export const Settings = lazyView(() => import('./settings.js'));
export const Steps = lazyView(() => import('../steps/steps-page.js'));
export const Family = lazyView(() => import('../family/family-page.js'));
export const Verdicts = lazyView(() => import('../verdicts/verdicts-page.js'));
export const ChatPanel = lazyView(() => import('../chat/chat-panel.js'));
export const Log = lazyView(() => import('./log.js'));

/** From the overview, what the links of a chosen step lead to. */
export const ofSteps = [Trajectories, TrajectoryPage, Steps];
