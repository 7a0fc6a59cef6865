"""Searches and arithmetic on columns of unsigned numbers by numpy, Polars, pyarrow and DuckDB.

Arguments: peer, job, threads; a and b (NumPy files of one column each); least, below, value.

    match   which rows of a are equal to `value`
    less    which rows of a are below `below`
    least   which rows of a hold its least number
    add     a + b, row by row
    sum     the sum of a
    three   how many rows have a below `below`, a above `least` and b below `below`
    select  which rows have `value` in a, and b above `least`
"""

import os

from line import Missing, Peer, bits, serve

MASKS = ("match", "less", "least", "select")


def columns(given):
    import numpy

    a = numpy.load(given["a"])
    b = numpy.load(given["b"])
    return a, b, int(given["value"]), int(given["below"]), int(given["least"])


def values_of(job, to_numpy):
    """What the digest is of, for results that `to_numpy` makes arrays of."""
    if job in MASKS:
        return lambda found: bits(to_numpy(found))
    if job == "add":
        return to_numpy
    return lambda found: [int(found)]


def with_numpy(given):
    import numpy

    a, b, value, below, least = columns(given)
    work = {
        "match": lambda _: a == value,
        "less": lambda _: a < below,
        "least": lambda _: a == a.min(),
        "add": lambda _: a + b,
        "sum": lambda _: a.sum(dtype=numpy.uint64),
        "select": lambda _: (a == value) & (b > least),
        "three": lambda _: numpy.count_nonzero((a < below) & (a > least) & (b < below)),
    }[given["job"]]
    return Peer(numpy.__version__, work, values_of(given["job"], lambda found: found))


def with_polars(given):
    threads = int(given["threads"])
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    a, b, value, below, least = columns(given)
    frame = polars.DataFrame({"a": a, "b": b})
    x, y = polars.col("a"), polars.col("b")
    query = {
        "match": x == value,
        "less": x < below,
        "least": x == x.min(),
        "add": x + y,
        "sum": x.cast(polars.UInt64).sum(),
        "select": (x == value) & (y > least),
        "three": ((x < below) & (x > least) & (y < below)).sum(),
    }[given["job"]]
    if given["job"] in ("sum", "three"):
        work = lambda _: frame.select(query).item()
    else:
        work = lambda _: frame.select(query).to_series()
    values = values_of(given["job"], lambda found: found.to_numpy())
    return Peer(polars.__version__, work, values, "DataFrame.select", threads)


def with_pyarrow(given):
    import pyarrow
    from pyarrow import compute

    threads = int(given["threads"])
    pyarrow.set_cpu_count(threads)
    a, b, value, below, least = columns(given)
    kind = pyarrow.from_numpy_dtype(a.dtype)
    x, y = pyarrow.array(a), pyarrow.array(b)
    value, below, least = (pyarrow.scalar(number, kind) for number in (value, below, least))

    def three(_):
        one = compute.and_(compute.less(x, below), compute.greater(x, least))
        return compute.sum(compute.and_(one, compute.less(y, below))).as_py()

    work = {
        "match": lambda _: compute.equal(x, value),
        "less": lambda _: compute.less(x, below),
        "least": lambda _: compute.equal(x, compute.min(x)),
        "add": lambda _: compute.add(x, y),
        "sum": lambda _: compute.sum(x).as_py(),
        "select": lambda _: compute.and_(compute.equal(x, value), compute.greater(y, least)),
        "three": three,
    }[given["job"]]
    values = values_of(given["job"], lambda found: found.to_numpy(zero_copy_only=False))
    return Peer(pyarrow.__version__, work, values, "pyarrow.compute", threads)


def with_duckdb(given):
    import duckdb
    import pyarrow

    threads = int(given["threads"])
    a, b, value, below, least = columns(given)
    arrow = pyarrow.table({"a": a, "b": b})
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    connection.execute("CREATE TABLE t AS SELECT * FROM arrow")
    del arrow
    query = {
        "match": f"SELECT a = {value} AS r FROM t",
        "less": f"SELECT a < {below} AS r FROM t",
        "least": "SELECT a = (SELECT min(a) FROM t) AS r FROM t",
        "add": "SELECT a + b AS r FROM t",
        "sum": "SELECT sum(a) AS r FROM t",
        "select": f"SELECT a = {value} AND b > {least} AS r FROM t",
        "three": f"SELECT count(*) AS r FROM t WHERE a < {below} AND a > {least} AND b < {below}",
    }[given["job"]]
    if given["job"] in ("sum", "three"):
        work = lambda _: connection.execute(query).fetchone()[0]
    else:
        work = lambda _: connection.execute(query).to_arrow_table()
    values = values_of(
        given["job"], lambda found: found["r"].combine_chunks().to_numpy(zero_copy_only=False)
    )
    conditions = "a table in memory; columns come back as Arrow"
    return Peer(duckdb.__version__, work, values, conditions, threads)


def open_with(peer):
    def opened(given):
        if given["job"] not in MASKS + ("add", "sum", "three"):
            raise Missing(f"{given['peer']} has nothing for the job `{given['job']}`")
        return peer(given)

    return opened


if __name__ == "__main__":
    serve(
        {
            "numpy": open_with(with_numpy),
            "polars": open_with(with_polars),
            "pyarrow": open_with(with_pyarrow),
            "duckdb": open_with(with_duckdb),
        }
    )
