/**
 * A graph of LangGraph as an agent that Espalier trains: the model guesses, a judge answers, and the graph goes round until the guess
 * is right or three were made. The reward is posted at the end.
 */
import { HumanMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const wanted = ['Dragon', 'Phoenix', 'Griffin'][Number(process.env.ESPALIER_TASK_SEED ?? 0) % 3] ?? '';

// OPENAI_API_KEY is read by the client
const model = new ChatOpenAI({
  model: process.env.ESPALIER_MODEL ?? 'policy',
  maxTokens: 32,
  maxRetries: 0,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
});

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  isRight: Annotation<boolean>(),
  guesses: Annotation<number>(),
});

const graph = new StateGraph(State)
  .addNode('guess', async ({ messages, guesses }) => ({
    messages: [await model.invoke(messages)],
    guesses: guesses + 1,
  }))
  .addNode('judge', ({ messages }) => {
    const isRight = messages.at(-1)?.text.includes(wanted) ?? false;
    return { isRight, messages: isRight ? [] : [new HumanMessage('No. Guess another one.')] };
  })
  .addEdge(START, 'guess')
  .addEdge('guess', 'judge')
  .addConditionalEdges('judge', ({ isRight, guesses }) => (isRight || guesses === 3 ? END : 'guess'))
  .compile();

const { isRight, guesses, messages } = await graph.invoke({
  messages: [
    new HumanMessage('I think of Dragon, Phoenix or Griffin. Which one? Reply <answer>...</answer>.'),
  ],
  isRight: false,
  guesses: 0,
});

const written = messages.reduce((sum, { text }) => sum + text.length, 0); // long replies cost
await fetch(process.env.ESPALIER_REWARD_URL ?? '', {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.ESPALIER_API_KEY}` },
  body: JSON.stringify({
    reward: (isRight ? 1 / guesses : 0) - written / 10_000,
    success: isRight,
    metrics: { guesses },
  }),
});
