// GraphiQL with a box for the API key. The key stays in the session storage of this tab.
import { createClient } from '/graphiql/graphql-ws/client.js';

const storageName = 'espalier-key';
const { React, ReactDOM, GraphiQL } = window;
const box = document.getElementById('key');
const said = document.getElementById('said');
const readKey = () => sessionStorage.getItem(storageName) ?? '';

let client;
function socketClient() {
  client ??= createClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    connectionParams: () => ({ key: readKey() }),
    shouldRetry: () => false,
  });
  return client;
}

// An operation over HTTP; a refusal is shown as GraphQL shows errors.
async function send(operation) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${readKey()}` },
    body: JSON.stringify(operation),
  });
  return response.json();
}

// Answers of a subscription, one after the other.
async function* follow(operation) {
  try {
    yield* socketClient().iterate(operation);
  } catch (error) {
    const message = error instanceof CloseEvent ? error.reason : String(error.message ?? error);
    yield { errors: [{ message }] };
  }
}

// Read off the text: what the editor has parsed may be older, and so may the name it gives.
function inspect(operation) {
  const text = operation.query.replace(/#[^\n]*/g, '');
  const kindOf = (name) => new RegExp(`\\b(query|mutation|subscription)\\s+${name}\\b`).exec(text)?.[1];
  const kind = operation.operationName ? kindOf(operation.operationName) : undefined;
  if (kind !== undefined) return { operation, isSubscription: kind === 'subscription' };
  const isSubscription = /^\s*subscription\b/.test(text);
  return { operation: { ...operation, operationName: undefined }, isSubscription };
}

function fetcher(given) {
  const { operation, isSubscription } = inspect(given);
  return isSubscription ? follow(operation) : send(operation);
}

const welcome = `# The schema is behind the book symbol on the left.
{
  version
}
`;

// What a new visitor finds open; what GraphiQL kept from an earlier visit comes first.
async function readTabs() {
  const read = async (name) => (await fetch(`/graphiql/${name}`)).text();
  const [start, follow, variables, list] = await Promise.all(
    ['start-a-run.graphql', 'follow-a-run.graphql', 'follow-a-run.json', 'list-runs.graphql'].map(read),
  );
  return [{ query: start }, { query: follow, variables }, { query: list }];
}
const tabs = await readTabs();

// Without a key there is no answer to anything, so nothing is asked before there is one.
const invitation = React.createElement(
  'div',
  { id: 'invitation' },
  React.createElement('h1', null, 'Enter an API key above'),
  React.createElement(
    'p',
    null,
    'The server printed the first one when it was started for the first time; espalier up and espalier serve keep it ',
    'in data/admin.key. More are made with espalier key create. Requests of your own carry it in a header:',
  ),
  React.createElement('pre', null, 'authorization: Bearer <key>'),
);

const root = ReactDOM.createRoot(document.getElementById('graphiql'));
let drawn = 0;
function draw() {
  drawn += 1;
  if (readKey() === '') return root.render(invitation);
  // A new key sees a new schema, so everything begins anew.
  return root.render(
    React.createElement(GraphiQL, {
      key: drawn,
      fetcher,
      defaultQuery: welcome,
      defaultTabs: tabs,
      shouldPersistHeaders: false,
    }),
  );
}

// Why a key is of no use; undefined for one that is.
async function refusalOf(key) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  if (response.ok) return undefined;
  const { errors, message } = await response.json();
  return errors?.[0]?.message ?? message;
}

async function use(key) {
  const refusal = key === '' ? undefined : await refusalOf(key).catch(String);
  client?.dispose();
  client = undefined;
  if (key === '' || refusal !== undefined) sessionStorage.removeItem(storageName);
  else sessionStorage.setItem(storageName, key);
  said.textContent = refusal ?? (key === '' ? '' : 'used');
  draw();
}

document.getElementById('bar').addEventListener('submit', (event) => {
  event.preventDefault();
  void use(box.value.trim());
});
box.value = readKey();
if (readKey() === '') draw();
else void use(readKey());
