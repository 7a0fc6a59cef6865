"""Searches and arithmetic on columns of unsigned numbers by numpy, Polars, pyarrow and DuckDB.

Arguments: peer, job, threads; a and b (NumPy files of one column each); least, below, value.

    match   which rows of a are equal to `value`
    less    which rows of a are below `below`
    least   which rows of a hold its least number
    add     a + b, row by row
    sum     the sum of a
    three   how many rows have a below `below`, a above `least` and b below `below`
    select  which rows have `value` in a, and b above `least`
    rank    the position of each row of a in ascending order, from 1; equal rows keep their order
    median  which rows of a hold the median, the smaller one of two
    hist    how many rows of a hold each number
    groups  the sum of b over the rows with each remainder of a modulo 64
    join    for each row, the number in the row of b, from 0, that a names
    among   which rows of a are equal to one of the first 32 numbers of a and of b
"""

import os

from line import Missing, Peer, bits, serve

MASKS = ("match", "less", "least", "select", "median", "among")
NUMBERS = ("add", "rank", "join")
LISTS = ("hist", "groups")
KEYS = 64


def columns(given):
    import numpy

    a = numpy.load(given["a"])
    b = numpy.load(given["b"])
    return a, b, int(given["value"]), int(given["below"]), int(given["least"])


def chosen(a, b):
    import numpy

    return numpy.concatenate((a[:32], b[:32]))


def values_of(job, to_numpy):
    """What the digest is of, for results that `to_numpy` makes arrays of."""
    if job in MASKS:
        return lambda found: bits(to_numpy(found))
    if job in NUMBERS:
        return to_numpy
    if job in LISTS:
        return lambda found: listed(job, to_numpy(found))
    return lambda found: [int(found)]


def listed(job, found):
    """The list of all numbers of a result of pairs, a key and a number: zeros for other keys."""
    import numpy

    if not isinstance(found, tuple):
        return found
    keys, numbers = found
    every = numpy.zeros(KEYS if job == "groups" else int(keys.max()) + 1, dtype=numpy.uint64)
    every[keys] = numbers
    return every


def with_numpy(given):
    import numpy

    a, b, value, below, least = columns(given)
    size, half = 1 << (int(given["bits"]) - 1), (len(a) - 1) // 2
    keys = (a % KEYS).astype(numpy.uint8)

    def rank(_):
        places = numpy.empty(len(a), dtype=numpy.uint32)
        places[numpy.argsort(a, kind="stable")] = numpy.arange(1, len(a) + 1, dtype=numpy.uint32)
        return places

    work = {
        "match": lambda _: a == value,
        "less": lambda _: a < below,
        "least": lambda _: a == a.min(),
        "add": lambda _: a + b,
        "sum": lambda _: a.sum(dtype=numpy.uint64),
        "select": lambda _: (a == value) & (b > least),
        "three": lambda _: numpy.count_nonzero((a < below) & (a > least) & (b < below)),
        "rank": rank,
        "median": lambda _: a == numpy.partition(a, half)[half],
        "hist": lambda _: numpy.bincount(a, minlength=size),
        "groups": lambda _: numpy.bincount(keys, weights=b, minlength=KEYS),
        "join": lambda _: b[a],
        "among": lambda _: numpy.isin(a, chosen(a, b)),
    }[given["job"]]
    return Peer(numpy.__version__, work, values_of(given["job"], lambda found: found))


def with_polars(given):
    threads = int(given["threads"])
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    a, b, value, below, least = columns(given)
    frame = polars.DataFrame({"a": a, "b": b, "k": a % KEYS})
    rows = b[: 1 << (int(given["bits"]) - 1)]
    named = polars.DataFrame({"a": polars.Series(range(len(rows)), dtype=frame["a"].dtype), "b": rows})
    x, y = polars.col("a"), polars.col("b")
    half = (len(a) - 1) // 2
    frames = {
        "hist": lambda _: frame.group_by("a").len(),
        "groups": lambda _: frame.group_by("k").agg(y.cast(polars.UInt64).sum()),
        "join": lambda _: frame.select("a").join(named, on="a", how="left", maintain_order="left"),
    }
    if given["job"] in frames:
        if given["job"] in LISTS:
            values = values_of(given["job"], lambda found: tuple(found.to_numpy().T))
        else:
            values = values_of(given["job"], lambda found: found["b"].to_numpy())
        return Peer(polars.__version__, frames[given["job"]], values, "DataFrame", threads)
    query = {
        "match": x == value,
        "less": x < below,
        "least": x == x.min(),
        "add": x + y,
        "sum": x.cast(polars.UInt64).sum(),
        "select": (x == value) & (y > least),
        "three": ((x < below) & (x > least) & (y < below)).sum(),
        "rank": x.rank("ordinal"),
        "median": x == x.sort().get(half),
        "among": x.is_in(polars.Series(chosen(a, b)).implode()),
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

    table = pyarrow.table({"k": a % KEYS, "b": b})
    half, size = (len(a) - 1) // 2, 1 << (int(given["bits"]) - 1)

    def median(_):
        return compute.equal(x, x[compute.partition_nth_indices(x, pivot=half)[half].as_py()])

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
        "rank": lambda _: compute.rank(x, sort_keys="ascending", tiebreaker="first"),
        "median": median,
        "hist": lambda _: compute.value_counts(x),
        "groups": lambda _: table.group_by("k").aggregate([("b", "sum")]),
        "join": lambda _: compute.take(y[:size], x),
        "among": lambda _: compute.is_in(x, value_set=pyarrow.array(chosen(a, b))),
    }[given["job"]]

    def to_numpy(found):
        if given["job"] == "hist":
            return tuple(found.field(at).to_numpy() for at in (0, 1))
        if given["job"] == "groups":
            return tuple(found[name].to_numpy() for name in ("k", "b_sum"))
        return found.to_numpy(zero_copy_only=False)

    values = values_of(given["job"], to_numpy)
    return Peer(pyarrow.__version__, work, values, "pyarrow.compute", threads)


def with_duckdb(given):
    import duckdb
    import pyarrow

    if given["job"] == "join":
        raise Missing("joins of duckdb do not keep the order of rows")
    threads = int(given["threads"])
    a, b, value, below, least = columns(given)
    arrow = pyarrow.table({"a": a, "b": b, "k": a % KEYS})
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
        "rank": "SELECT r::UINTEGER AS r FROM (SELECT rowid AS i, row_number() OVER (ORDER BY a, rowid)"
        " AS r FROM t) ORDER BY i",
        "median": "SELECT a = (SELECT quantile_disc(a, 0.5) FROM t) AS r FROM t",
        "among": f"SELECT a IN ({', '.join(map(str, chosen(a, b)))}) AS r FROM t",
        "hist": "SELECT a AS k, count(*) AS r FROM t GROUP BY a",
        "groups": "SELECT k, sum(b)::UBIGINT AS r FROM t GROUP BY k",
        "three": f"SELECT count(*) AS r FROM t WHERE a < {below} AND a > {least} AND b < {below}",
    }[given["job"]]
    if given["job"] in ("sum", "three"):
        work = lambda _: connection.execute(query).fetchone()[0]
    else:
        work = lambda _: connection.execute(query).to_arrow_table()
    column = lambda found, name: found[name].combine_chunks().to_numpy(zero_copy_only=False)
    if given["job"] in LISTS:
        values = values_of(given["job"], lambda found: (column(found, "k"), column(found, "r")))
    else:
        values = values_of(given["job"], lambda found: column(found, "r"))
    conditions = "a table in memory; columns come back as Arrow"
    return Peer(duckdb.__version__, work, values, conditions, threads)


def open_with(peer):
    def opened(given):
        if given["job"] not in MASKS + NUMBERS + LISTS + ("sum", "three"):
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
