"""The official Python client of OpenAI, and a graph of LangGraph in Python: python check_clients.py URL prints what they got."""

import json
import sys
import urllib.request
from typing import Annotated, TypedDict

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from openai import BadRequestError, OpenAI

url = sys.argv[1]
user = [{"role": "user", "content": "Phoenix or Dragon?"}]
fixed = {"model": "any", "seed": 3, "temperature": 1, "max_tokens": 12}
session = f"{url}/sessions/python/v1"
client = OpenAI(base_url=session, api_key="none", max_retries=0)


def post(path, body):
    with urllib.request.urlopen(urllib.request.Request(url + path, json.dumps(body).encode())) as answer:
        return json.load(answer)


plain = client.chat.completions.create(
    **fixed, messages=user, logprobs=True, extra_body={"return_token_ids": True}
)
logprobs = [token.logprob for token in plain.choices[0].logprobs.content]
following = [*user, plain.choices[0].message, {"role": "user", "content": "Once more."}]
client.chat.completions.create(**fixed, messages=following)
post("/sessions/python/reward", {"reward": 0.5})

free = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
again = free.chat.completions.create(**fixed, messages=user)
streamed = free.chat.completions.create(**fixed, messages=user, stream=True, stream_options={"include_usage": True})
chunks = list(streamed)
responses = {"model": "any", "temperature": 1, "max_output_tokens": 12}
first = free.responses.create(**responses, input="Phoenix or Dragon?")
second = free.responses.create(**responses, input="Once more.", previous_response_id=first.id)
try:
    free.chat.completions.create(**fixed, messages=user, frequency_penalty=1)
    refused = None
except BadRequestError as error:
    refused = error.code


class State(TypedDict):
    messages: Annotated[list, add_messages]
    guesses: int


model = ChatOpenAI(
    model="any", base_url=f"{url}/sessions/graph/v1", api_key="none", max_tokens=12, max_retries=0
)
builder = StateGraph(State)
builder.add_node(
    "guess", lambda state: {"messages": [model.invoke(state["messages"])], "guesses": state["guesses"] + 1}
)
builder.add_node("judge", lambda state: {"messages": [("user", "No. Guess another one.")]})
builder.add_edge(START, "guess")
builder.add_conditional_edges("guess", lambda state: END if state["guesses"] == 3 else "judge")
builder.add_edge("judge", "guess")
played = builder.compile().invoke({"messages": [("user", "Phoenix or Dragon?")], "guesses": 0})
post("/sessions/graph/reward", {"reward": 1})


print(
    json.dumps(
        {
            "text": plain.choices[0].message.content,
            "logprobs": logprobs,
            "tokens": [plain.usage.completion_tokens, len(plain.choices[0].token_ids)],
            "streamed": [
                "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
                again.choices[0].message.content,
                chunks[-1].usage.completion_tokens,
            ],
            "responses": [first.status, second.usage.input_tokens > first.usage.input_tokens + first.usage.output_tokens],
            "models": [each.id for each in free.models.list()],
            "refused": refused,
            "said": [message.content for message in played["messages"] if message.type == "ai"],
        }
    )
)
