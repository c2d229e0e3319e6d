import { Mutation, Resolver, Subscription } from '@nestjs/graphql';
import type { Caller } from '../../core/access/caller.js';
import { ShownView, ShownViews, showViewRequest } from '../../core/access/shown-views.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { as, Input, InvalidInput, orRefuse, resultOf } from './refusal.js';
import { inputOfSchema } from './types/from-schema.js';
import { parseInput } from '../../core/input/parse-input.js';

const ShowViewInput = inputOfSchema('ShowViewInput', 'A view of the page, and why.', showViewRequest);
type ShowViewInput = InstanceType<typeof ShowViewInput>;

const ShowViewResult = resultOf(
  'ShowViewResult',
  'What was shown, or why it was not.',
  ShownView,
  InvalidInput,
);

@Resolver()
@Access('viewer')
export class ViewResolver {
  constructor(
    private readonly views: ShownViews,
    private readonly bus: LiveBus,
  ) {}

  @Mutation(() => ShowViewResult, {
    nullable: true,
    description:
      'Asks the open pages of this key, and no others, to show a view. One where somebody is typing asks first.',
  })
  showView(
    @CurrentCaller() caller: Caller,
    @Input(ShowViewInput) input: ShowViewInput,
  ): Promise<typeof ShowViewResult> {
    return orRefuse([InvalidInput], async () => {
      const request = parseInput(showViewRequest, input, 'show a view');
      return as('ShownView', await Promise.resolve(this.views.show(caller, request)));
    });
  }

  @Subscription(() => ShownView, { description: 'Views that this key is asked to show; the newest counts.' })
  viewShown(@CurrentCaller() { keyId }: Caller): AsyncIterableIterator<{ viewShown: ShownView }> {
    return iterateLatest<ShownView, { viewShown: ShownView }>(
      (publish) => this.bus.on('view', keyId, (view) => publish('view', view)),
      (viewShown) => ({ viewShown }),
    );
  }
}
