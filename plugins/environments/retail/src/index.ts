import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { createRetail } from './retail.js';
import { toolList } from './tools.js';

export default defineEnvironment({
  id: 'retail',
  summary: 'Serve the customers of an online shop with tools, by its policy.',
  params: z.strictObject({
    user: z
      .enum(['asked', 'open'])
      .default('asked')
      .describe(
        'what the user tells: `asked`: a sentence of its task each time it is asked; `open`: all of it in the first message',
      ),
  }),
  metrics: {
    refused_calls: { unit: 'probability', formula: '1 if a call was refused, or the text was no action' },
  },
  instruction: () =>
    [
      'You serve the customers of an online shop. An action is say and a text for the user, one call of a tool, or done, which ends the conversation.',
      'Policy: find out who the user is, by email or by name and zip code, and help only with that user’s orders.',
      'Ask before you change anything. Only pending orders are cancelled or modified, only delivered ones returned or exchanged, each once, with all items in one call.',
      'New items are of the same product and available. A refund goes to the original payment method or to a gift card.',
      'Transfer to a human agent only what your tools cannot do. Answer what the user asks.',
      `Tools: ${toolList.join('; ')}.`,
      'Example answer: <answer>get_order_details {"order_id": "#W1234567"}</answer>',
    ].join('\n'),
  limits: () => ({ maxTurns: 40, maxActions: 40, maxActionsPerTurn: 1 }),
  reads: () => ({ noise: false }),
  create: createRetail,
});
