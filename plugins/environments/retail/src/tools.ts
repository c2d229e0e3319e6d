/** @file The sixteen tools of tau-bench's retail domain: what each takes, and what it does. */
import { calculate } from './calculate.js';
import * as changes from './changes.js';
import type { Call, Order, Store, User } from './store.js';

interface Tool {
  /** `list`: of texts; all others are texts */
  readonly takes: Readonly<Record<string, 'text' | 'list'>>;
  /** returns what the agent sees; `undefined` of a lookup means that it found nothing */
  readonly run: (store: Store, given: changes.Arguments) => unknown;
  /** what it gives is saved */
  readonly changes?: 'order' | 'user';
}

const address = {
  address1: 'text',
  address2: 'text',
  city: 'text',
  state: 'text',
  country: 'text',
  zip: 'text',
} as const;
const swap = { order_id: 'text', item_ids: 'list', new_item_ids: 'list', payment_method_id: 'text' } as const;

/** Finds the id of a user. */
function findUser(store: Store, fits: (user: User) => boolean): string | undefined {
  for (const id of store.shop.users.keys()) if (fits(store.user(id)!)) return id;
  return undefined;
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  [
    'find_user_id_by_email',
    {
      takes: { email: 'text' },
      run: (store, { email }) => findUser(store, (user) => same(user.email, email!)),
    },
  ],
  [
    'find_user_id_by_name_zip',
    {
      takes: { first_name: 'text', last_name: 'text', zip: 'text' },
      run: (store, { first_name, last_name, zip }) =>
        findUser(
          store,
          ({ name, address: { zip: code } }) =>
            same(name.first_name, first_name!) && same(name.last_name, last_name!) && code === zip,
        ),
    },
  ],
  ['get_user_details', { takes: { user_id: 'text' }, run: (store, { user_id }) => store.user(user_id!) }],
  [
    'get_order_details',
    { takes: { order_id: 'text' }, run: (store, { order_id }) => store.order(order_id!) },
  ],
  [
    'get_product_details',
    { takes: { product_id: 'text' }, run: ({ shop }, { product_id }) => shop.products.get(product_id!) },
  ],
  [
    'list_all_product_types',
    {
      takes: {},
      run: ({ shop }) =>
        Object.fromEntries(
          [...shop.products.values()].map(({ name, product_id }) => [name, product_id] as const).sort(),
        ),
    },
  ],
  [
    'calculate',
    {
      takes: { expression: 'text' },
      run: (_store, { expression }) => {
        const value = calculate(expression!);
        return value === undefined ? undefined : Math.round(value * 100) / 100;
      },
    },
  ],
  ['think', { takes: { thought: 'text' }, run: () => '' }],
  ['transfer_to_human_agents', { takes: { summary: 'text' }, run: () => 'Transfer successful' }],
  [
    'cancel_pending_order',
    { takes: { order_id: 'text', reason: 'text' }, run: changes.cancelOrder, changes: 'order' },
  ],
  [
    'modify_pending_order_address',
    { takes: { order_id: 'text', ...address }, run: changes.changeOrderAddress, changes: 'order' },
  ],
  ['modify_pending_order_items', { takes: swap, run: changes.changeItems, changes: 'order' }],
  [
    'modify_pending_order_payment',
    { takes: { order_id: 'text', payment_method_id: 'text' }, run: changes.changePayment, changes: 'order' },
  ],
  [
    'modify_user_address',
    { takes: { user_id: 'text', ...address }, run: changes.changeUserAddress, changes: 'user' },
  ],
  [
    'return_delivered_order_items',
    {
      takes: { order_id: 'text', item_ids: 'list', payment_method_id: 'text' },
      run: changes.returnItems,
      changes: 'order',
    },
  ],
  ['exchange_delivered_order_items', { takes: swap, run: changes.exchangeItems, changes: 'order' }],
]);

/** Names of the tools with what they take, for the prompt. */
export const toolList: readonly string[] = [...tools].map(
  ([name, { takes }]) =>
    `${name} {${Object.entries(takes)
      .map(([key, kind]) => (kind === 'list' ? `${key}: [...]` : key))
      .join(', ')}}`,
);

/** Whether a tool changes the data. */
export function isChanging(name: string): boolean {
  return tools.get(name)?.changes !== undefined;
}

/** Calls a tool. A refusal is a text that begins with `Error: ` and changes nothing. */
export function callTool(
  store: Store,
  { name, arguments: given }: Call,
): { readonly text: string; readonly isError: boolean } {
  const tool = tools.get(name);
  const finding = tool === undefined ? `there is no tool ${name.slice(0, 60)}` : checkArguments(tool, given);
  if (tool === undefined || finding !== undefined) return { text: `Error: ${finding}`, isError: true };
  const before = store.changes;
  const result = tool.run(store, given as changes.Arguments);
  if (result === undefined) return { text: 'Error: nothing found', isError: true };
  if (tool.changes === undefined)
    return { text: typeof result === 'string' ? result : JSON.stringify(result), isError: false };
  if (typeof result === 'string') {
    store.changes = before;
    return { text: `Error: ${result}`, isError: true };
  }
  if (tool.changes === 'order') store.saveOrder(result as Order);
  else store.saveUser(String(given['user_id']), result as User);
  return { text: JSON.stringify(result), isError: false };
}

/** What is wrong with the arguments. */
function checkArguments({ takes }: Tool, given: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(takes, key));
  const expected = `expected ${Object.keys(takes).join(', ') || 'none'}`;
  if (unknown !== undefined) return `no argument ${JSON.stringify(unknown.slice(0, 60))}; ${expected}`;
  for (const [key, kind] of Object.entries(takes)) {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    const fits =
      kind === 'text'
        ? typeof value === 'string'
        : Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
    if (!fits) return `${key} is no ${kind === 'text' ? 'text' : 'list of texts'}; ${expected}`;
  }
  return undefined;
}
