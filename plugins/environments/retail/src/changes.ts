/** @file The tools that change orders and users, by the rules of tau-bench's retail domain. Each returns a text if it refuses. */
import type { Item, Order, Payment, PaymentMethod, Store, User, Variant } from './store.js';

export type Arguments = Readonly<Record<string, string & readonly string[]>>;

const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** Moves money to a gift card, or from it. */
function credit(store: Store, userId: string, method: string, amount: number): void {
  const user = store.user(userId)!;
  const card = user.payment_methods[method];
  if (card?.source !== 'gift_card') return;
  const changed = { ...card, balance: cents((card.balance ?? 0) + amount) };
  store.saveUser(userId, { ...user, payment_methods: { ...user.payment_methods, [method]: changed } });
}

function methodOf(user: User | undefined, id: string): PaymentMethod | undefined {
  return user !== undefined && Object.hasOwn(user.payment_methods, id) ? user.payment_methods[id] : undefined;
}

/** An order in a state, or why not. */
function orderIn(store: Store, id: string, status: string): Order | string {
  const order = store.order(id);
  if (order === undefined) return 'order not found';
  return order.status === status ? order : `the order is not ${status}`;
}

export function cancelOrder(store: Store, { order_id, reason }: Arguments): Order | string {
  const order = orderIn(store, order_id!, 'pending');
  if (typeof order === 'string') return order;
  if (reason !== 'no longer needed' && reason !== 'ordered by mistake')
    return 'invalid reason; it is "no longer needed" or "ordered by mistake"';
  const refunds = order.payment_history.map(({ amount, payment_method_id }): Payment => {
    credit(store, order.user_id, payment_method_id, amount);
    return { transaction_type: 'refund', amount, payment_method_id };
  });
  return {
    ...order,
    status: 'cancelled',
    cancel_reason: reason,
    payment_history: [...order.payment_history, ...refunds],
  };
}

function addressOf(given: Arguments): Order['address'] {
  const { address1, address2, city, state, country, zip } = given as Readonly<Record<string, string>>;
  return {
    address1: address1!,
    address2: address2!,
    city: city!,
    country: country!,
    state: state!,
    zip: zip!,
  };
}

export function changeOrderAddress(store: Store, given: Arguments): Order | string {
  const order = orderIn(store, given['order_id']!, 'pending');
  return typeof order === 'string' ? order : { ...order, address: addressOf(given) };
}

export function changeUserAddress(store: Store, given: Arguments): User | string {
  const user = store.user(given['user_id']!);
  return user === undefined ? 'user not found' : { ...user, address: addressOf(given) };
}

export function changePayment(store: Store, { order_id, payment_method_id: id }: Arguments): Order | string {
  const order = orderIn(store, order_id!, 'pending');
  if (typeof order === 'string') return order;
  const method = methodOf(store.user(order.user_id), id!);
  if (method === undefined) return 'payment method not found';
  const [first] = order.payment_history;
  if (order.payment_history.length !== 1 || first?.transaction_type !== 'payment')
    return 'a pending order has to have exactly one payment';
  if (first.payment_method_id === id) return 'the new payment method has to be another one';
  const { amount } = first;
  if (method.source === 'gift_card' && (method.balance ?? 0) < amount)
    return 'the balance of the gift card is too small for the order';
  credit(store, order.user_id, id!, -amount);
  credit(store, order.user_id, first.payment_method_id, amount);
  const added: Payment[] = [
    { transaction_type: 'payment', amount, payment_method_id: id! },
    { transaction_type: 'refund', amount, payment_method_id: first.payment_method_id },
  ];
  return { ...order, payment_history: [...order.payment_history, ...added] };
}

/** The places of items in the order, each taken once; undefined where one is not there as often as it is named. */
function placesOf(order: Order, ids: readonly string[]): number[] | undefined {
  const left: (string | undefined)[] = order.items.map(({ item_id }) => item_id);
  const places: number[] = [];
  for (const id of ids) {
    const place = left.indexOf(id);
    if (place < 0) return undefined;
    left[place] = undefined;
    places.push(place);
  }
  return places;
}

interface Swap {
  readonly item: Item;
  /** where it is in the order */
  readonly place: number;
  readonly variant: Variant;
}

/** What becomes of each item, or why it cannot. */
function swapsOf(
  store: Store,
  order: Order,
  old: readonly string[],
  fresh: readonly string[],
): Swap[] | string {
  const places = placesOf(order, old);
  if (places === undefined) return 'an item is not in the order';
  if (old.length !== fresh.length) return 'there have to be as many new items as old ones';
  const swaps: Swap[] = [];
  for (const [number, place] of places.entries()) {
    const item = order.items[place]!;
    const variants = store.shop.products.get(item.product_id)?.variants ?? {};
    const wanted = fresh[number]!;
    const variant = Object.hasOwn(variants, wanted) ? variants[wanted] : undefined;
    if (variant?.available !== true) return `new item ${wanted} not found or not available`;
    swaps.push({ item, place, variant });
  }
  return swaps;
}

const differenceOf = (swaps: readonly Swap[]): number =>
  cents(swaps.reduce((sum, { item, variant }) => sum + variant.price - item.price, 0));

function lacksMoney({ source, balance = 0 }: PaymentMethod, difference: number): boolean {
  return source === 'gift_card' && balance < difference;
}

/** The checks that exchanging and modifying share. */
function prepareSwap(
  store: Store,
  given: Arguments,
  status: string,
): { readonly order: Order; readonly swaps: readonly Swap[]; readonly difference: number } | string {
  const order = orderIn(store, given['order_id']!, status);
  if (typeof order === 'string') return order;
  const swaps = swapsOf(store, order, given['item_ids']!, given['new_item_ids']!);
  if (typeof swaps === 'string') return swaps;
  const method = methodOf(store.user(order.user_id), given['payment_method_id']!);
  if (method === undefined) return 'payment method not found';
  const difference = differenceOf(swaps);
  if (lacksMoney(method, difference)) return 'the balance of the gift card is too small for the difference';
  return { order, swaps, difference };
}

export function exchangeItems(store: Store, given: Arguments): Order | string {
  const prepared = prepareSwap(store, given, 'delivered');
  if (typeof prepared === 'string') return prepared;
  return {
    ...prepared.order,
    status: 'exchange requested',
    exchange_items: [...given['item_ids']!].sort(),
    exchange_new_items: [...given['new_item_ids']!].sort(),
    exchange_payment_method_id: given['payment_method_id'],
    exchange_price_difference: prepared.difference,
  };
}

export function changeItems(store: Store, given: Arguments): Order | string {
  const prepared = prepareSwap(store, given, 'pending');
  if (typeof prepared === 'string') return prepared;
  const { order, swaps, difference } = prepared;
  const method = given['payment_method_id']!;
  credit(store, order.user_id, method, -difference);
  const items = [...order.items];
  for (const { item, place, variant } of swaps) {
    const { item_id, price, options } = variant;
    items[place] = { ...item, item_id, price, options };
  }
  const payment: Payment = {
    transaction_type: difference > 0 ? 'payment' : 'refund',
    amount: Math.abs(difference),
    payment_method_id: method,
  };
  return {
    ...order,
    status: 'pending (item modified)',
    items,
    payment_history: [...order.payment_history, payment],
  };
}

export function returnItems(store: Store, given: Arguments): Order | string {
  const order = orderIn(store, given['order_id']!, 'delivered');
  if (typeof order === 'string') return order;
  const id = given['payment_method_id']!;
  const method = methodOf(store.user(order.user_id), id);
  if (method === undefined) return 'payment method not found';
  if (method.source !== 'gift_card' && id !== order.payment_history[0]?.payment_method_id)
    return 'a refund goes to a gift card or to the original payment method';
  if (placesOf(order, given['item_ids']!) === undefined) return 'an item is not in the order';
  return {
    ...order,
    status: 'return requested',
    return_items: [...given['item_ids']!].sort(),
    return_payment_method_id: id,
  };
}
