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

// Read off the text: what the editor has parsed may be older.
function isSubscription({ query, operationName }) {
  const text = query.replace(/#[^\n]*/g, '');
  const name = operationName ?? '';
  return name === ''
    ? /^\s*subscription\b/.test(text)
    : new RegExp(`\\bsubscription\\s+${name}\\b`).test(text);
}

const fetcher = (operation) => (isSubscription(operation) ? follow(operation) : send(operation));

const welcome = `# Enter an API key above; then the schema is behind the book symbol on the left.
query {
  version
}
`;

const root = ReactDOM.createRoot(document.getElementById('graphiql'));
let drawn = 0;
function draw() {
  drawn += 1;
  // A new key sees a new schema, so everything begins anew.
  root.render(
    React.createElement(GraphiQL, {
      key: drawn,
      fetcher,
      defaultQuery: welcome,
      shouldPersistHeaders: false,
    }),
  );
}

document.getElementById('bar').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(storageName, box.value.trim());
  client?.dispose();
  client = undefined;
  said.textContent = 'used';
  draw();
});
box.value = readKey();
draw();
