/** @file For whatever asks a language model over the API of chat completions: one request, its options, when to try again. */
export {
  askChat,
  type ChatEndpoint,
  ChatError,
  type ChatMessage,
  type ChatReply,
  type ChatRequest,
} from './chat/ask-chat.js';
export { chatEndpointOptions, chatPriceOptions } from './chat/endpoint-options.js';
export { retryDelayMs } from './chat/retry-delay.js';
