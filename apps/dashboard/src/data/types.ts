/** @file Types that the client returns. */
import type { Client } from '@espalier/client';

type Returned<F extends (...given: never[]) => unknown> = Awaited<ReturnType<F>>;
type Yielded<F extends (...given: never[]) => AsyncGenerator> = NonNullable<
  Extract<Awaited<ReturnType<ReturnType<F>['next']>>, { done?: false }>['value']
>;

export type RunRow = Returned<Client['overview']['runs']>['items'][number];
export type WorkerRow = Returned<Client['overview']['workers']>['items'][number];
export type DeviceSpan = Returned<Client['workers']['deviceHistory']>[number];
export type JobRow = Returned<Client['overview']['jobs']>['items'][number];
export type PluginRow = Returned<Client['overview']['plugins']>[number];
export type Recipe = Returned<Client['overview']['recipes']>[number];
export type Alert = Returned<Client['overview']['alerts']>['items'][number];
export type Alarm = Returned<Client['verdicts']['alarms']>[number];
export type RunComment = Returned<Client['runs']['comments']>[number];
export type OpenedRatingSet = Returned<Client['ratings']['open']>;
export type RatedItem = Returned<Client['ratings']['item']>;
export type MetricBatch = Yielded<Client['live']['metrics']>;
export type RunRecord = Yielded<Client['live']['events']>['records'][number];
export type EventCount = Returned<Client['events']['counts']>['counts'][number];
export type Progress = Yielded<Client['live']['progress']>;
export type JobState = RunRow['state'];
/** A trajectory with its tokens summed up. */
export type OpenedTrajectory = Returned<Client['trajectories']['open']>;
export type TokenPage = Returned<Client['trajectories']['tokens']>;
/** An episode that is played now. */
export type EpisodeInFlight = Yielded<Client['live']['inFlight']>[number];
/** What a list shows of one. */
export type InFlightSummary = Yielded<Client['live']['inFlightSummaries']>[number];
/** A state that was reached by hand. */
export type PlayedState = Returned<Client['trajectories']['play']>;
/** A checkpoint that is loaded on a worker to chat with. */
export type Chat = Returned<Client['chats']['get']>;
/** What is said to it, and what that continues. */
export type ChatRequest = Parameters<Client['chats']['reply']>[2];
/** What came of the continuations of a trajectory from one of its turns. */
export type ContinuedTurn = NonNullable<Returned<Client['runs']['continuation']>>[number];
