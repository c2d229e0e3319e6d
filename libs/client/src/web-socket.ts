/** @file The WebSocket of Node; the package's import `#web-socket` leads a browser to its own. */
export { WebSocket } from 'ws';
