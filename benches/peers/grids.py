"""Distances in grids of cells by scikit-image.

Arguments: peer, job, threads; matrix (a NumPy file of truth values, the free cells); source (a free cell, from 1, row by
row).

    wave    the steps of a shortest path from the source to every cell, over four neighbours
"""

from line import UNREACHABLE, Missing, Peer, serve


def with_skimage(given):
    import numpy
    import skimage
    from skimage.graph import MCP

    if given["job"] != "wave":
        raise Missing(f"{given['peer']} has nothing for the job `{given['job']}`")
    free = numpy.load(given["matrix"])
    start = divmod(int(given["source"]) - 1, free.shape[1])
    costs = numpy.where(free, 1.0, -1.0)  # less than nothing: blocked

    def values(found):
        steps, _ = found
        steps = steps - steps[start]
        reached = numpy.isfinite(steps)
        labels = numpy.where(reached, steps, 0).astype(numpy.uint64)
        labels[~reached] = UNREACHABLE
        return labels.ravel()

    work = lambda mcp: mcp.find_costs([start])
    prepare = lambda: MCP(costs, fully_connected=False)
    return Peer(skimage.__version__, work, values, "graph.MCP.find_costs", prepare=prepare)


if __name__ == "__main__":
    serve({"scikit-image": with_skimage})
