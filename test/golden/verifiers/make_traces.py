"""Writes traces.jsonl with verifiers' own code: python make_traces.py FOLDER. Made for verifiers 0.4.0."""

import asyncio
import sys
from pathlib import Path

from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.episode import EnvInfo, Episode
from verifiers.v1.graph import MessageNode
from verifiers.v1.task import WireTaskData
from verifiers.v1.trace import AgentInfo, Error, ModelCall, Reward, Trace, TraceTask
from verifiers.v1.types import AssistantMessage, SystemMessage, Tool, ToolCall, ToolMessage, UserMessage
from verifiers.v1.utils.trace_store import append_episode, read_episodes

folder = Path(sys.argv[1])


def trace(key, nodes, **more):
    task = TraceTask(type="GuessTask", data=WireTaskData(idx=0), key=key)
    return Trace(task=task, agent=AgentInfo(config=WireAgentConfig()), nodes=nodes, **more)


def guess(key, text, score):
    return trace(
        key,
        [
            MessageNode(message=SystemMessage(content="Be brief.")),
            MessageNode(parent=0, message=UserMessage(content="Dragon or Phoenix?")),
            MessageNode(parent=1, message=AssistantMessage(content=text), sampled=True),
            MessageNode(parent=2, message=UserMessage(content="Once more.")),
            MessageNode(parent=3, message=AssistantMessage(content="Phoenix", reasoning_content="It is red."), sampled=True),
            # the harness began anew: a second branch of the same root
            MessageNode(parent=1, message=AssistantMessage(content="None"), sampled=True),
        ],
        rewards={"right": Reward(score=score, weight=2.0), "none": None},
        metrics={"turns": 2.0},
        calls=[ModelCall(node=5, finish_reason="length")],
        ok=True,
    )


with_tool = trace(
    "tool",
    [
        MessageNode(message=UserMessage(content="What is on the page?")),
        MessageNode(
            parent=0,
            message=AssistantMessage(tool_calls=[ToolCall(id="1", name="read", arguments='{"page": 3}')]),
            sampled=True,
        ),
        MessageNode(parent=1, message=ToolMessage(tool_call_id="1", content="A tree.")),
        MessageNode(parent=2, message=AssistantMessage(content="A tree."), sampled=True),
    ],
    tools=[Tool(name="read", description="Reads a page.", parameters={"type": "object", "properties": {"page": {"type": "integer"}}})],
    rewards={"right": Reward(score=1.0)},
    errors=[Error(type="ToolError", message="late")],
)


async def main():
    lock = asyncio.Lock()
    for one in [guess("a", "Phoenix", 0.5), guess("a", "Dragon", 0.0), with_tool]:
        await append_episode(folder, Episode(env=EnvInfo(id="guess"), task=one.task, traces=[one], ok=one.ok), lock)


asyncio.run(main())
read = read_episodes(folder, Trace[WireTaskData])
print([[one.traces[0].reward, one.traces[0].num_turns] for one in read])
