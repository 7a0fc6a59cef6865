// LEMON: levels, shortest paths, components, spanning trees and branchings. Compiled with the folder that holds
// `lemon/` in the include path; only templates are used.
//
// Arguments: job; graph (a Matrix Market file); source (a vertex, from 1).

#define LEMON_ONLY_TEMPLATES
#include <lemon/bfs.h>
#include <lemon/connectivity.h>
#include <lemon/adaptors.h>
#include <lemon/dijkstra.h>
#include <lemon/kruskal.h>
#include <lemon/min_cost_arborescence.h>
#include <lemon/smart_graph.h>
#include <lemon/static_graph.h>

#include <memory>

#include "adapter.h"

namespace {

using Digraph = lemon::SmartDigraph;
using Lengths = Digraph::ArcMap<int64_t>;

// A directed graph with weights; an edge is two arcs.
struct Network {
  Digraph graph;
  Lengths weights{graph};

  explicit Network(const star::ArcList &list) {
    graph.reserveNode(static_cast<int>(list.n_vertices));
    for (int64_t i = 0; i < list.n_vertices; i++) graph.addNode();
    for (const star::Arc &arc : list.arcs) {
      add(arc.tail, arc.head, arc.weight);
      if (list.symmetric && arc.tail != arc.head) add(arc.head, arc.tail, arc.weight);
    }
  }

  void add(int64_t tail, int64_t head, int64_t weight) {
    weights[graph.addArc(node(tail), node(head))] = weight;
  }

  Digraph::Node node(int64_t vertex) const { return graph.nodeFromId(static_cast<int>(vertex)); }
};

// The distances that an algorithm of LEMON found.
template <typename Algorithm>
std::vector<uint64_t> distances(const Network &network, const Algorithm &found) {
  std::vector<uint64_t> numbers;
  for (int i = 0; i < network.graph.nodeNum(); i++) {
    const Digraph::Node node = network.node(i);
    numbers.push_back(found.reached(node) ? static_cast<uint64_t>(found.dist(node)) : star::UNREACHABLE);
  }
  return numbers;
}

void levels(star::Peer &peer, const star::ArcList &list, int64_t source) {
  using Search = lemon::Bfs<Digraph>;
  auto network = std::make_shared<Network>(list);
  auto search = std::make_shared<Search>(network->graph);
  peer.conditions = "Bfs on a SmartDigraph";
  peer.work = [=] { search->run(network->node(source)); };
  peer.values = [=] { return distances(*network, *search); };
}

void paths(star::Peer &peer, const star::ArcList &list, int64_t source) {
  using Search = lemon::Dijkstra<Digraph, Lengths>;
  auto network = std::make_shared<Network>(list);
  auto search = std::make_shared<Search>(network->graph, network->weights);
  peer.conditions = "Dijkstra with a binary heap on a SmartDigraph";
  peer.work = [=] { search->run(network->node(source)); };
  peer.values = [=] { return distances(*network, *search); };
}

void components(star::Peer &peer, const star::ArcList &list) {
  auto network = std::make_shared<Network>(list);
  auto labels = std::make_shared<Digraph::NodeMap<int>>(network->graph);
  const size_t n_vertices = static_cast<size_t>(list.n_vertices);
  peer.conditions = "connectedComponents on a SmartDigraph";
  peer.work = [=] { lemon::connectedComponents(lemon::undirector(network->graph), *labels); };
  peer.values = [=] {
    std::vector<int> found;
    for (int64_t i = 0; i < static_cast<int64_t>(n_vertices); i++) found.push_back((*labels)[network->node(i)]);
    return star::first_members(found, n_vertices);
  };
}

void tree(star::Peer &peer, const star::ArcList &list) {
  struct Edges {
    lemon::SmartGraph graph;
    lemon::SmartGraph::EdgeMap<int64_t> weights{graph};
    std::vector<lemon::SmartGraph::Edge> tree;
    int64_t weight = 0;
  };
  auto edges = std::make_shared<Edges>();
  for (int64_t i = 0; i < list.n_vertices; i++) edges->graph.addNode();
  const auto node = [&](int64_t vertex) { return edges->graph.nodeFromId(static_cast<int>(vertex)); };
  for (const star::Arc &arc : list.arcs) {
    edges->weights[edges->graph.addEdge(node(arc.tail), node(arc.head))] = arc.weight;
  }
  peer.conditions = "kruskal on a SmartGraph";
  peer.work = [=] {
    edges->tree.clear();
    edges->weight = lemon::kruskal(edges->graph, edges->weights, std::back_inserter(edges->tree));
  };
  peer.values = [=] { return std::vector<uint64_t>{static_cast<uint64_t>(edges->weight)}; };
}

// A branching of greatest weight W is a smallest arborescence: one more vertex with an arc of length c to
// every other, every other arc of length c less its weight, and all n arcs together have length n c - W.
void branching(star::Peer &peer, const star::ArcList &list) {
  using Search = lemon::MinCostArborescence<Digraph, Lengths>;
  int64_t most = 0;
  for (const star::Arc &arc : list.arcs) most = std::max(most, arc.weight);
  star::ArcList turned = list;
  for (star::Arc &arc : turned.arcs) arc.weight = most - arc.weight;
  for (int64_t i = 0; i < list.n_vertices; i++) turned.arcs.push_back(star::Arc{list.n_vertices, i, most});
  turned.n_vertices++;
  auto network = std::make_shared<Network>(turned);
  auto cost = std::make_shared<int64_t>(0);
  const int64_t root = list.n_vertices, all = list.n_vertices * most;
  peer.conditions = "MinCostArborescence on a SmartDigraph, from one more vertex with an arc to every other";
  peer.work = [=] {
    Search search(network->graph, network->weights);
    search.run(network->node(root));
    *cost = search.arborescenceCost();
  };
  peer.values = [=] { return std::vector<uint64_t>{static_cast<uint64_t>(all - *cost)}; };
}

star::Peer open(star::Given &given) {
  const star::ArcList list = star::read_arcs(given["graph"]);
  const std::string job = given["job"];
  const int64_t source = given.count("source") ? std::stol(given["source"]) - 1 : 0;
  star::Peer peer;
#ifdef LEMON_VERSION
  peer.version = LEMON_VERSION;
#else
  peer.version = VERSION;
#endif
  if (job == "levels") {
    levels(peer, list, source);
  } else if (job == "paths") {
    paths(peer, list, source);
  } else if (job == "components") {
    components(peer, list);
  } else if (job == "tree") {
    tree(peer, list);
  } else if (job == "branching") {
    branching(peer, list);
  } else {
    throw std::runtime_error("LEMON has nothing for the job `" + job + "`");
  }
  return peer;
}

}  // namespace

int main(int argc, char **argv) { return star::serve(argc, argv, "lemon", open); }
