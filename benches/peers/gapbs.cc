// The GAP Benchmark Suite: breadth-first search (-DLEVELS), components (-DCOMPONENTS) and delta-stepping.
// Compiled with the folder `src` of a checkout in the include path.
//
// Arguments: threads (by OMP_NUM_THREADS), graph (a Matrix Market file), source (a vertex, from 1).

#define main gapbs_main
#ifdef LEVELS
#include "bfs.cc"
#elif defined(COMPONENTS)
#include "cc.cc"
#else
#include "sssp.cc"
#endif
#undef main

#include <omp.h>

#include <memory>

#include "adapter.h"

namespace {

#if defined(LEVELS) || defined(COMPONENTS)
using Network = Graph;
using NetworkBuilder = Builder;
#else
using Network = WGraph;
using NetworkBuilder = WeightedBuilder;
#endif

std::shared_ptr<Network> load(const std::string &path) {
  std::vector<std::string> words = {"gapbs", "-f", path};
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(&word[0]);
  CLApp options(static_cast<int>(arguments.size()), arguments.data(), "gapbs");
  if (!options.ParseArgs()) throw std::runtime_error("gapbs refuses its arguments");
  NetworkBuilder builder(options);
  return std::make_shared<Network>(builder.MakeGraph());
}

star::Peer open(star::Given &given) {
  const NodeID source = static_cast<NodeID>(std::stol(given["source"]) - 1);
  const size_t n_vertices = static_cast<size_t>(star::read_arcs(given["graph"]).n_vertices);
  const std::shared_ptr<Network> graph = load(given["graph"]);
  star::Peer peer;
  peer.version = VERSION;
  peer.threads = omp_get_max_threads();
#ifdef LEVELS
  auto found = std::make_shared<pvector<NodeID>>();
  peer.conditions = "direction-optimizing BFS";
  peer.work = [=] { *found = DOBFS(*graph, source); };
  peer.values = [=] {
    // Parents as levels; what has none has a negative number.
    std::vector<uint64_t> levels(n_vertices, star::UNREACHABLE);
    levels[static_cast<size_t>(source)] = 0;
    for (size_t vertex = 0; vertex < found->size(); vertex++) {
      std::vector<size_t> way;
      size_t at = vertex;
      while (levels[at] == star::UNREACHABLE && (*found)[at] >= 0) {
        way.push_back(at);
        at = static_cast<size_t>((*found)[at]);
      }
      uint64_t level = levels[at];
      for (; level != star::UNREACHABLE && !way.empty(); way.pop_back()) levels[way.back()] = ++level;
    }
    return levels;
  };
#elif defined(COMPONENTS)
  (void)source;
  auto found = std::make_shared<pvector<NodeID>>();
  peer.conditions = "Afforest";
  peer.work = [=] { *found = Afforest(*graph); };
  peer.values = [=] { return star::first_members(*found, n_vertices); };
#else
  // The best width of a bucket depends on the graph: the one that is fastest here.
  WeightT best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (WeightT delta = 1; delta <= (1 << 16); delta *= 4) {
    for (int round = 0; round < 3; round++) {
      Timer timer;
      timer.Start();
      DeltaStep(*graph, source, delta);
      timer.Stop();
      peer.choosing_s += timer.Seconds();
      if (timer.Seconds() < least) {
        least = timer.Seconds();
        best = delta;
      }
    }
  }
  auto found = std::make_shared<pvector<WeightT>>();
  peer.conditions = "delta-stepping, delta = " + std::to_string(best) + ", the best of 1, 4 .. 65536";
  peer.work = [=] { *found = DeltaStep(*graph, source, best); };
  peer.values = [=] {
    std::vector<uint64_t> lengths(n_vertices, star::UNREACHABLE);
    for (size_t vertex = 0; vertex < found->size(); vertex++) {
      if ((*found)[vertex] != kDistInf) lengths[vertex] = static_cast<uint64_t>((*found)[vertex]);
    }
    return lengths;
  };
#endif
  return peer;
}

}  // namespace

int main(int argc, char **argv) { return star::serve(argc, argv, "gapbs", open); }
