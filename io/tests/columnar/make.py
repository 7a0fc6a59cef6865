"""Makes the Parquet and Arrow files of the tests: `python make.py`, with pyarrow 26."""

import datetime

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

day = datetime.date(2024, 5, 1)
people = pa.table({
    "name": ["Ada", "Grace", "Ada", None],
    "city": pa.array(["Lund", "Oslo", "Oslo", "Lund"]).dictionary_encode(),
    "age": pa.array([36, 85, 17, 4], pa.uint8()),
    "balance": pa.array([-5, 0, 7, 1 << 40], pa.int64()),
    "member": [True, False, True, True],
    "since": [day, day + datetime.timedelta(days=1), day, day],
    "seen": pa.array([datetime.datetime(2024, 5, 1, 12, 30, second) for second in range(4)], pa.timestamp("us")),
    "height": pa.array([1.5, 1.75, 2.0, 0.25], pa.float32()),
})
for name in ["snappy", "gzip", "lz4", "none"]:
    pq.write_table(people, f"people-{name}.parquet", compression=name)
pq.write_table(people, "groups.parquet", row_group_size=1, use_dictionary=False)
pyarrow.feather.write_feather(people, "people.feather", compression="uncompressed")
pyarrow.feather.write_feather(people, "people-packed.feather", compression="lz4")
with pa.OSFile("people.arrow", "wb") as file, pa.ipc.new_file(file, people.schema) as writer:
    writer.write_table(people, max_chunksize=2)
pq.write_table(pa.table({"n": pa.array([1, None, 3])}), "gap.parquet")
pq.write_table(pa.table({"n": [[1, 2], [3]]}), "lists.parquet")
pq.write_table(pa.table({"n": pa.array([], pa.int32())}), "empty.parquet")
nan = pa.table({"x": pa.array([float("nan"), 2, -3], pa.float64())})
pq.write_table(nan, "nan.parquet")
pyarrow.feather.write_feather(nan, "nan.feather", compression="uncompressed")
pq.write_table(pa.table({"x": pa.array([float("inf"), 2], pa.float32())}), "infinity.parquet")
