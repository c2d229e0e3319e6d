/** @file The shop's data, which no episode changes, and what one episode has changed of them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { data } from '@espalier/plugin-kit';

export interface Address {
  readonly address1: string;
  readonly address2: string;
  readonly city: string;
  readonly country: string;
  readonly state: string;
  readonly zip: string;
}

export interface PaymentMethod {
  readonly source: string;
  readonly id: string;
  /** of a gift card */
  readonly balance?: number;
}

export interface User {
  readonly name: { readonly first_name: string; readonly last_name: string };
  readonly address: Address;
  readonly email: string;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
  readonly orders: readonly string[];
}

export interface Item {
  readonly name: string;
  readonly product_id: string;
  readonly item_id: string;
  readonly price: number;
  readonly options: Readonly<Record<string, string>>;
}

export interface Payment {
  readonly transaction_type: 'payment' | 'refund';
  readonly amount: number;
  readonly payment_method_id: string;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  readonly address: Address;
  readonly items: readonly Item[];
  readonly status: string;
  readonly payment_history: readonly Payment[];
  readonly [more: string]: unknown;
}

export interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

export interface Product {
  readonly name: string;
  readonly product_id: string;
  readonly variants: Readonly<Record<string, Variant>>;
}

export interface Shop {
  readonly users: ReadonlyMap<string, User>;
  readonly orders: ReadonlyMap<string, Order>;
  readonly products: ReadonlyMap<string, Product>;
}

/** A call of a tool. */
export interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A task as it is in the data. */
export interface RawTask {
  readonly name: string;
  readonly user: string;
  readonly instruction: string;
  readonly calls: readonly Call[];
  readonly outputs: readonly string[];
}

interface Shipped {
  readonly users: Record<string, User>;
  readonly orders: Record<string, Order>;
  readonly products: Record<string, Product>;
  readonly tasks: Record<'train' | 'dev' | 'test', readonly RawTask[]>;
}

/** The data of tau-bench's retail domain, opened once. */
export const openShop = data.openOnce(
  (_source: object): { readonly shop: Shop; readonly tasks: Shipped['tasks'] } => {
    const file = new URL('../data/tau-retail.json.gz', import.meta.url);
    const { users, orders, products, tasks } = JSON.parse(
      gunzipSync(readFileSync(file)).toString(),
    ) as Shipped;
    const shop = {
      users: new Map(Object.entries(users)),
      orders: new Map(Object.entries(orders)),
      products: new Map(Object.entries(products)),
    };
    return { shop, tasks };
  },
  () => [],
  1,
);

/** What an episode has changed. */
export interface Changes {
  readonly users: Readonly<Record<string, User>>;
  readonly orders: Readonly<Record<string, Order>>;
}

/** The shop with the changes of one episode. */
export class Store {
  constructor(
    readonly shop: Shop,
    public changes: Changes = { users: {}, orders: {} },
  ) {}

  user(id: string): User | undefined {
    return Object.hasOwn(this.changes.users, id) ? this.changes.users[id] : this.shop.users.get(id);
  }

  order(id: string): Order | undefined {
    return Object.hasOwn(this.changes.orders, id) ? this.changes.orders[id] : this.shop.orders.get(id);
  }

  saveUser(id: string, user: User): void {
    this.changes = { ...this.changes, users: { ...this.changes.users, [id]: user } };
  }

  saveOrder(order: Order): void {
    this.changes = { ...this.changes, orders: { ...this.changes.orders, [order.order_id]: order } };
  }

  /** Equal for equal data, however they came about; empty where nothing differs from the beginning. */
  hash(): string {
    const differing = [
      ...Object.entries(this.changes.users).filter(
        ([id, user]) => stable(user) !== stable(this.shop.users.get(id)),
      ),
      ...Object.entries(this.changes.orders).filter(
        ([id, order]) => stable(order) !== stable(this.shop.orders.get(id)),
      ),
    ];
    if (differing.length === 0) return '';
    const text = differing.map((entry) => stable(entry)).sort();
    return createHash('sha256').update(text.join('\n')).digest('hex').slice(0, 32);
  }
}

/** JSON with the keys of objects in order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
