/** @file Rating sets: made, rated blind, read and exported. */
import type { Connection } from './connection.js';
import {
  CloseRatingSetDocument,
  CreateRatingSetDocument,
  type CreateRatingSetInput,
  DeleteRatingSetDocument,
  FinishRatingDocument,
  ListRatingSetsDocument,
  ListRubricsDocument,
  type ListRubricsQuery,
  RateItemDocument,
  type RateItemInput,
  type RatingSetFieldsFragment,
  type RatingSetFilter,
  ReadRatingItemDocument,
  type ReadRatingItemQuery,
  ReadRatingSetDocument,
  type ReadRatingSetQuery,
  type TaskItemFieldsFragment,
  UndoRatingDocument,
  WatchRatingSetsDocument,
} from './generated/operations.js';
import { callRest } from './graphql-http.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import type { Answered, Transport } from './transport.js';
import { unwrapResult } from './unwrap-result.js';

export type RatingSet = RatingSetFieldsFragment;
/** A set as this key goes through it, with its results where the key may see them. */
export type OpenedRatingSet = Answered<ReadRatingSetQuery>['ratingSet'];
export type RatedItem = Answered<ReadRatingItemQuery>['ratingItem'];
export type RatingTaskItem = TaskItemFieldsFragment;
export type Rubric = Answered<ListRubricsQuery>['rubrics'][number];
/** A set to make; what is left out has the default of the server. */
export type NewRatingSet = CreateRatingSetInput;

export interface RatingsApi {
  list(filter?: RatingSetFilter, page?: Pick<PageRequest, 'first' | 'after'>): Promise<Page<RatingSet>>;
  create(set: NewRatingSet): Promise<RatingSet>;
  open(id: string): Promise<OpenedRatingSet>;
  /** Reads what is to be rated; left and right are those of this key. */
  item(setId: string, position: number): Promise<RatedItem>;
  rate(
    setId: string,
    position: number,
    rating: Omit<RateItemInput, 'setId' | 'position'>,
  ): Promise<RatingTaskItem>;
  undo(setId: string, position: number): Promise<RatingTaskItem>;
  /** Ends the rating of this key, which then sees all ratings. */
  finish(setId: string): Promise<RatingSet>;
  /** Ends the rating for everyone. */
  close(setId: string): Promise<RatingSet>;
  delete(setId: string): Promise<RatingSet>;
  rubrics(): Promise<readonly Rubric[]>;
  /** Reads the ratings as JSON Lines. */
  export(setId: string, format: 'ratings' | 'preferences'): Promise<Response>;
  /** Yields the id of each set that changes. @param id only this one */
  watch(id?: string): AsyncGenerator<string>;
}

/** Creates these calls. */
export function createRatingsApi({ request, subscribe }: Transport, connection: Connection): RatingsApi {
  return {
    async list(filter = {}, page = {}) {
      const { first, after } = pageVariables(page);
      return toPage((await request(ListRatingSetsDocument, { filter, first, after })).ratingSets);
    },
    create: async (input) =>
      unwrapResult((await request(CreateRatingSetDocument, { input })).createRatingSet),
    open: async (id) => (await request(ReadRatingSetDocument, { id })).ratingSet,
    item: async (setId, position) => (await request(ReadRatingItemDocument, { setId, position })).ratingItem,
    rate: async (setId, position, rating) => {
      const input = { ...rating, setId, position };
      return unwrapResult((await request(RateItemDocument, { input })).rateItem);
    },
    undo: async (setId, position) => {
      const input = { setId, position };
      return unwrapResult((await request(UndoRatingDocument, { input })).undoRating);
    },
    finish: async (setId) =>
      unwrapResult((await request(FinishRatingDocument, { input: { setId } })).finishRating),
    close: async (setId) =>
      unwrapResult((await request(CloseRatingSetDocument, { input: { setId } })).closeRatingSet),
    delete: async (setId) =>
      unwrapResult((await request(DeleteRatingSetDocument, { input: { setId } })).deleteRatingSet),
    rubrics: async () => (await request(ListRubricsDocument, {})).rubrics,
    export: (setId, format) =>
      callRest(connection, `/api/v1/rating-sets/${encodeURIComponent(setId)}/export?format=${format}`),
    async *watch(id) {
      for await (const { ratingSetChanged } of subscribe(WatchRatingSetsDocument, { id: id ?? null }))
        yield ratingSetChanged.id;
    },
  };
}
