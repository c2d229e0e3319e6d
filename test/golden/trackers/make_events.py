"""Writes events.json: an event file as the real package writes it (pip install tensorboard==2.21.0).

python test/golden/trackers/make_events.py > test/golden/trackers/events.json
"""

import base64
import io
import json

import tensorboard
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

Value = summary_pb2.Summary.Value
events = [
    event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2"),
    event_pb2.Event(
        wall_time=1700000001.5,
        step=3,
        summary=summary_pb2.Summary(
            value=[
                Value(tag="rollout/success_rate", simple_value=0.375),
                Value(tag="policy/gradient_norm", simple_value=float("nan")),
                Value(tag="big", simple_value=float("inf")),
            ]
        ),
    ),
    event_pb2.Event(
        wall_time=1700000002.0,
        summary=summary_pb2.Summary(
            value=[
                Value(
                    tag="options",
                    tensor=tensor_pb2.TensorProto(
                        dtype=types_pb2.DT_STRING,
                        tensor_shape=tensor_shape_pb2.TensorShapeProto(
                            dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]
                        ),
                        string_val=["| größe | 1 |".encode()],
                    ),
                    metadata=summary_pb2.SummaryMetadata(
                        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text")
                    ),
                )
            ]
        ),
    ),
]


class Sink(io.BytesIO):
    def close(self):
        pass


sink = Sink()
writer = RecordWriter(sink)
for event in events:
    writer.write(event.SerializeToString(deterministic=True))
print(json.dumps({"tensorboard": tensorboard.__version__, "file": base64.b64encode(sink.getvalue()).decode()}, indent=2))
