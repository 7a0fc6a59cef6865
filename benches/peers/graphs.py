"""Graph jobs by scipy, rustworkx, python-graphblas, networkx, and by hand with numpy.

Arguments: peer, job, threads; graph (a Matrix Market file) or matrix (a NumPy file of truth values);
source (a vertex, from 1).
"""

from line import UNREACHABLE, Missing, Peer, bits, serve


def read(given):
    """Vertices, tails and heads from 0, weights, and: is it symmetric?"""
    import numpy

    with open(given["graph"]) as file:
        words = file.readline().split()
        line = file.readline()
        while line.startswith("%"):
            line = file.readline()
        n_vertices, _, n_arcs = (int(word) for word in line.split())
        entries = numpy.loadtxt(file, dtype=numpy.int64, ndmin=2) if n_arcs else None
    if entries is None:
        entries = numpy.zeros((0, 3), dtype=numpy.int64)
    weights = entries[:, 2] if words[3] != "pattern" else numpy.ones(n_arcs, dtype=numpy.int64)
    return n_vertices, entries[:, 0] - 1, entries[:, 1] - 1, weights, words[4] == "symmetric"


def both_ways(given):
    """Likewise, an edge as two arcs."""
    import numpy

    n_vertices, tails, heads, weights, symmetric = read(given)
    if symmetric:
        apart = tails != heads
        tails, heads, weights = (
            numpy.concatenate([tails, heads[apart]]),
            numpy.concatenate([heads, tails[apart]]),
            numpy.concatenate([weights, weights[apart]]),
        )
    return n_vertices, tails, heads, weights


def source(given):
    return int(given["source"]) - 1


def lengths(found):
    """Lengths in floating point as numbers."""
    import numpy

    found = numpy.asarray(found, dtype=numpy.float64).ravel()
    unreachable = ~numpy.isfinite(found)
    numbers = numpy.where(unreachable, 0, found).astype(numpy.uint64)
    numbers[unreachable] = UNREACHABLE
    return numbers


def of_map(n_vertices, found):
    """Lengths in a map from vertices as numbers."""
    import numpy

    numbers = numpy.full(n_vertices, UNREACHABLE, dtype=numpy.uint64)
    for vertex, length in found.items():
        numbers[vertex] = int(length)
    return numbers


def first_members(label_of):
    """The first vertex with the label of each, from 1."""
    import numpy

    _, first, label_of = numpy.unique(label_of, return_index=True, return_inverse=True)
    return first[label_of].astype(numpy.uint64) + numpy.uint64(1)


def unknown(given):
    return Missing(f"{given['peer']} has nothing for the job `{given['job']}`")


def with_numpy(given):
    import numpy

    if given["job"] != "closure":
        raise unknown(given)
    matrix = numpy.load(given["matrix"]).astype(bool)
    n = len(matrix)
    packed = numpy.packbits(matrix, axis=1, bitorder="little")

    def warshall(rows):
        for k in range(n):
            reach = (rows[:, k // 8] >> (k % 8)) & 1 == 1
            rows[reach] |= rows[k]
        return rows

    def values(rows):
        closed = numpy.unpackbits(rows, axis=1, count=n, bitorder="little")
        return numpy.concatenate([bits(closed[:, column]) for column in range(n)])

    return Peer(
        numpy.__version__, warshall, values, "Warshall by hand on packed rows", prepare=packed.copy
    )


def with_scipy(given):
    import numpy
    import scipy
    from scipy.sparse import csgraph, csr_array

    n, tails, heads, weights, symmetric = read(given)
    if symmetric and given["job"] != "tree":
        n, tails, heads, weights = both_ways(given)
    matrix = csr_array((weights.astype(numpy.float64), (tails, heads)), shape=(n, n))
    conditions = "csr_array of f8"
    match given["job"]:
        case "floyd":
            return Peer(
                scipy.__version__, lambda _: csgraph.floyd_warshall(matrix), lengths, conditions
            )
        case "paths":
            first = source(given)

            def dijkstra(_):
                return csgraph.dijkstra(matrix, indices=first)

            return Peer(scipy.__version__, dijkstra, lengths, conditions)
        case "levels":
            first = source(given)

            def search(_):
                return csgraph.breadth_first_order(matrix, first)

            def values(found):
                order, before = found
                level = {first: 0}
                for vertex in order[1:].tolist():
                    level[vertex] = level[int(before[vertex])] + 1
                return of_map(n, level)

            return Peer(scipy.__version__, search, values, conditions)
        case "components":

            def weak(_):
                return csgraph.connected_components(matrix, connection="weak")

            return Peer(scipy.__version__, weak, lambda found: first_members(found[1]), conditions)
        case "tree":

            def tree(_):
                return csgraph.minimum_spanning_tree(matrix)

            return Peer(scipy.__version__, tree, lambda found: [int(found.sum())], conditions)
    raise unknown(given)


def with_rustworkx(given):
    import rustworkx

    version = rustworkx.__version__
    if given["job"] == "tree":
        n, tails, heads, weights, _ = read(given)
        graph = rustworkx.PyGraph()
    else:
        n, tails, heads, weights = both_ways(given)
        graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(list(zip(tails.tolist(), heads.tolist(), weights.astype(float).tolist())))
    called = "weights by a function of Python"
    match given["job"]:
        case "floyd":

            def floyd(_):
                return rustworkx.floyd_warshall_numpy(graph, weight_fn=float, parallel_threshold=1 << 30)

            return Peer(version, floyd, lengths, called)
        case "paths":
            first = source(given)

            def dijkstra(_):
                return rustworkx.dijkstra_shortest_path_lengths(graph, first, float)

            def values(found):
                return of_map(n, {first: 0, **{vertex: found[vertex] for vertex in found}})

            return Peer(version, dijkstra, values, called)
        case "levels":
            first = source(given)

            def search(_):
                return rustworkx.bfs_layers(graph, [first])

            def values(layers):
                return of_map(n, {v: level for level, layer in enumerate(layers) for v in layer})

            return Peer(version, search, values)
        case "tree":

            def tree(_):
                return rustworkx.minimum_spanning_edges(graph, weight_fn=float)

            return Peer(version, tree, lambda found: [int(sum(edge[2] for edge in found))], called)
    raise unknown(given)


def with_graphblas(given):
    import graphblas

    if given["job"] != "levels":
        raise unknown(given)
    threads = int(given.get("threads", 1))
    graphblas.ss.config["nthreads"] = threads
    n, tails, heads, _ = both_ways(given)
    matrix = graphblas.Matrix.from_coo(tails, heads, True, nrows=n, ncols=n)
    first = source(given)

    def search(_):
        level = graphblas.Vector(int, n)
        front = graphblas.Vector(bool, n)
        front[first] = True
        depth = 0
        while front.nvals:
            level(front.S) << depth
            front(~level.S, replace=True) << graphblas.semiring.any_pair(front @ matrix)
            depth += 1
        return level

    def values(level):
        import numpy

        numbers = numpy.full(n, UNREACHABLE, dtype=numpy.uint64)
        vertices, levels = level.to_coo()
        numbers[vertices] = levels
        return numbers

    how = "a loop over vxm with any_pair under the complement of the levels"
    return Peer(graphblas.__version__, search, values, how, threads)


def with_networkx(given):
    import networkx

    version = networkx.__version__
    if given["job"] == "closure":
        import numpy

        matrix = numpy.load(given["matrix"])
        n = len(matrix)
        graph = networkx.from_numpy_array(matrix.astype(bool), create_using=networkx.DiGraph)

        def values(closed):
            found = numpy.zeros((n, n), dtype=bool)
            for tail, head in closed.edges:
                found[tail, head] = True
            return numpy.concatenate([bits(found[:, column]) for column in range(n)])

        return Peer(version, lambda _: networkx.transitive_closure(graph), values, "baseline")
    if given["job"] == "tree":
        n, tails, heads, weights, _ = read(given)
        graph = networkx.Graph()
    else:
        n, tails, heads, weights = both_ways(given)
        graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), weights.tolist()))
    match given["job"]:
        case "floyd":

            def floyd(_):
                return networkx.floyd_warshall_numpy(graph)

            return Peer(version, floyd, lengths, "baseline")
        case "paths":
            first = source(given)

            def dijkstra(_):
                return networkx.single_source_dijkstra_path_length(graph, first)

            return Peer(version, dijkstra, lambda found: of_map(n, found), "baseline")
        case "levels":
            first = source(given)

            def search(_):
                return dict(networkx.single_source_shortest_path_length(graph, first))

            return Peer(version, search, lambda found: of_map(n, found), "baseline")
        case "tree":

            def tree(_):
                return list(networkx.minimum_spanning_edges(graph, data=True))

            def weight(found):
                return [sum(edge["weight"] for _, _, edge in found)]

            return Peer(version, tree, weight, "baseline")
        case "branching":

            def branching(_):
                return networkx.maximum_branching(graph)

            def weight(found):
                return [int(found.size(weight="weight"))]

            return Peer(version, branching, weight, "baseline")
    raise unknown(given)


if __name__ == "__main__":
    serve(
        {
            "numpy": with_numpy,
            "scipy": with_scipy,
            "rustworkx": with_rustworkx,
            "graphblas": with_graphblas,
            "networkx": with_networkx,
        }
    )
