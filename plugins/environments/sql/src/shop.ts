/** @file A small shop that does not exist: four tables of a seed, and patterns of tasks over them. */
import { createStream, deriveSeed } from '@espalier/plugin-kit';
import { literal } from './database.js';
import type { Template } from './templates.js';

const firstNames = 'Ada Ben Cleo Dario Edda Finn Greta Hugo Ines Jonas Kira Leon Mira Nils Olga Piet'.split(
  ' ',
);
const lastNames = 'Abel Brandt Costa Dahl Ekman Falk Grau Holm Iversen Jung Kessler Lorenz'.split(' ');
const cities = 'Torburg Balstead Lundvik Merano Ostby Karleby Ravena Silford'.split(' ');
const goods: Readonly<Record<string, readonly string[]>> = {
  kitchen: ['kettle', 'pan', 'ladle', 'bread knife', 'scale', 'teapot'],
  garden: ['rake', 'hose', 'spade', 'watering can', 'shears'],
  office: ['stapler', 'desk lamp', 'notebook', 'ruler', 'hole punch'],
  sport: ['skipping rope', 'yoga mat', 'dumbbell', 'racket', 'helmet'],
};
const states = ['open', 'shipped', 'cancelled'] as const;

/** The statements that make the shop of a seed. */
export function makeShop(seed: number): string {
  const stream = createStream(deriveSeed('sql shop', seed));
  const between = (low: number, high: number): number => low + stream.int(high - low + 1);
  const date = (year: number): string =>
    `${year}-${String(between(1, 12)).padStart(2, '0')}-${String(between(1, 28)).padStart(2, '0')}`;
  const insert = (table: string, rows: readonly (readonly (string | number | null)[])[]): string =>
    `INSERT INTO ${table} VALUES ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')};`;

  const names = stream.shuffle(lastNames);
  const customers = names
    .slice(0, between(7, 12))
    .map((last, at) => [at + 1, `${stream.pick(firstNames)} ${last}`, stream.pick(cities), date(2022)]);
  const products = stream
    .shuffle(
      Object.entries(goods).flatMap(([category, list]) => list.map((name) => [name, category] as const)),
    )
    .slice(0, between(9, 14))
    .map(([name, category], at) => [at + 1, name, category, between(20, 900) / 10, between(0, 60)]);
  const orders = Array.from({ length: between(12, 20) }, (_, at) => {
    const state = stream.pick(states);
    const shipped = state === 'shipped' ? date(2024) : null;
    return [at + 101, 1 + stream.int(customers.length), date(2023), state, shipped];
  });
  const items = orders.flatMap(([order]) =>
    stream
      .shuffle(products)
      .slice(0, between(1, 3))
      .map(([product]) => [order!, product!, between(1, 5)]),
  );
  return `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, joined TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, stock INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ordered TEXT, state TEXT, shipped TEXT);
CREATE TABLE items (order_id INTEGER, product_id INTEGER, quantity INTEGER);
${insert('customers', customers)}
${insert('products', products)}
${insert('orders', orders)}
${insert('items', items)}`;
}

const byCategory = 'SELECT DISTINCT category FROM products';
const byCity = 'SELECT DISTINCT city FROM customers';
const byProduct = 'SELECT name FROM products';
const byOrder = 'SELECT id FROM orders';
const byCustomer = 'SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)';

/** Patterns of tasks over the shop. */
export const shopTemplates: readonly Template[] = [
  {
    question: 'How many customers live in {0}?',
    query: 'SELECT count(*) FROM customers WHERE city = {0}',
    values: byCity,
  },
  {
    question: 'What does the product "{0}" cost?',
    query: 'SELECT price FROM products WHERE name = {0}',
    values: byProduct,
  },
  {
    question: 'Which product of the category {0} costs the most? Name all that cost as much.',
    query: `SELECT name FROM products WHERE category = {0} AND price = (SELECT max(price) FROM products WHERE category = {0})`,
    values: byCategory,
  },
  {
    question: 'How many pieces of the category {0} are in stock, all its products together?',
    query: 'SELECT sum(stock) FROM products WHERE category = {0}',
    values: byCategory,
  },
  {
    question: 'What is the average price of the products of the category {0}?',
    query: 'SELECT avg(price) FROM products WHERE category = {0}',
    values: byCategory,
  },
  {
    question: 'How many orders has the customer {0} placed?',
    query: 'SELECT count(*) FROM orders JOIN customers c ON c.id = customer_id WHERE c.name = {0}',
    values: byCustomer,
  },
  {
    question: 'What is the total value of order {0} (prices times quantities)?',
    query:
      'SELECT sum(price * quantity) FROM items JOIN products p ON p.id = product_id WHERE order_id = {0}',
    values: byOrder,
  },
  {
    question: 'Which products are in order {0}, and how many of each? Give name and quantity.',
    query: 'SELECT p.name, quantity FROM items JOIN products p ON p.id = product_id WHERE order_id = {0}',
    values: byOrder,
  },
  {
    question: 'How many orders are there of each state? Leave out the state {0}; give state and number.',
    query: 'SELECT state, count(*) FROM orders WHERE state <> {0} GROUP BY state',
    values: 'SELECT DISTINCT state FROM orders',
  },
  {
    question: 'Which customers have ordered the product "{0}"?',
    query: `SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id WHERE p.name = {0}`,
    values: byProduct,
  },
  {
    question: 'Name the customers from {0} who have never ordered anything.',
    query: `SELECT name FROM customers WHERE city = {0} AND id NOT IN (SELECT customer_id FROM orders)`,
    values: byCity,
  },
  {
    question:
      'List the products that cost less than {0}, the cheapest first; order those of one price by name.',
    query: 'SELECT name FROM products WHERE price < {0} ORDER BY price, name',
    values: 'SELECT DISTINCT cast(price AS INTEGER) + 5 FROM products',
  },
  {
    question: 'How much has the customer {0} spent on orders that are not cancelled?',
    query: `SELECT sum(p.price * i.quantity) FROM customers c JOIN orders o ON o.customer_id = c.id
JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE c.name = {0} AND o.state <> 'cancelled'`,
    values: `SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.state <> 'cancelled'`,
  },
  {
    question: 'Of the orders placed since {0}, how many have not been shipped?',
    query: 'SELECT count(*) FROM orders WHERE ordered >= {0} AND shipped IS NULL',
    values: 'SELECT DISTINCT ordered FROM orders',
  },
  {
    question: 'Set the price of the product "{0}" to {1}.',
    change: ['UPDATE products SET price = {1} WHERE name = {0}'],
    values: 'SELECT name, cast(price AS INTEGER) + id + 1 FROM products',
  },
  {
    question: 'Add {1} pieces to the stock of every product of the category {0}.',
    change: ['UPDATE products SET stock = stock + {1} WHERE category = {0}'],
    values: 'SELECT category, max(id) + 3 FROM products GROUP BY category',
  },
  {
    question: 'Add a customer with the id {0}, the name {1} and the city {2}, who joined on 2025-01-01.',
    change: [`INSERT INTO customers VALUES ({0}, {1}, {2}, '2025-01-01')`],
    values: `SELECT (SELECT max(id) FROM customers) + b.id, substr(a.name, 1, instr(a.name, ' ')) || 'Zander', b.city
FROM customers a, customers b`,
  },
  {
    question: 'Order {0} was shipped on 2025-01-01: note the date, and its state, shipped.',
    change: [`UPDATE orders SET shipped = '2025-01-01', state = 'shipped' WHERE id = {0}`],
    values: `SELECT id FROM orders WHERE state = 'open'`,
  },
  {
    question: 'Delete order {0} together with its items.',
    change: ['DELETE FROM items WHERE order_id = {0}', 'DELETE FROM orders WHERE id = {0}'],
    values: byOrder,
  },
  {
    question: 'The customer {0} has moved to {1}.',
    change: ['UPDATE customers SET city = {1} WHERE name = {0}'],
    values: 'SELECT a.name, b.city FROM customers a JOIN customers b ON a.city <> b.city',
  },
  {
    question: 'Reduce all prices of the category {0} by a tenth, rounded to two decimals.',
    change: ['UPDATE products SET price = round(price * 0.9, 2) WHERE category = {0}'],
    values: byCategory,
  },
  {
    question: 'Cancel all open orders that were placed before {0}.',
    change: [`UPDATE orders SET state = 'cancelled' WHERE state = 'open' AND ordered < {0}`],
    values: 'SELECT DISTINCT ordered FROM orders',
  },
];
