/** @file Messages beyond plain chat: of tools, and with calls of tools. */

/** A message as chat templates read it, with the names that they have for its parts. */
export interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  /** tools that an assistant called */
  readonly tool_calls?: readonly TemplateToolCall[];
  /** of a tool's answer: the call that it answers */
  readonly tool_call_id?: string;
  /** of a tool's answer: the tool */
  readonly name?: string;
}

export interface TemplateToolCall {
  readonly id: string;
  readonly type: 'function';
  /** an object, unless the model wrote none */
  readonly function: { readonly name: string; readonly arguments: unknown };
}
