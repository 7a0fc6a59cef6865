// The protocol of an adapter in C++: see `docs/src/internals/testing.md`, "Peers". Nothing of a peer is
// in here.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace star {

const uint64_t UNREACHABLE = std::numeric_limits<uint64_t>::max();

// The arguments of the command line, KEY=VALUE.
using Given = std::map<std::string, std::string>;

// A job that can be done again and again.
struct Peer {
  std::string version, conditions;
  int threads = 1;
  // Seconds of opening that are no loading.
  double choosing_s = 0;
  // Does the job; this is what is timed.
  std::function<void()> work;
  // The numbers that the digest is of, from the last run.
  std::function<std::vector<uint64_t>()> values;
};

// The first vertex with the label of each, from 1. Labels are below their number.
template <typename Labels>
std::vector<uint64_t> first_members(const Labels &labels, size_t n_vertices) {
  std::vector<uint64_t> first(n_vertices, 0), found;
  for (size_t vertex = 0; vertex < n_vertices; vertex++) {
    uint64_t &of_label = first[static_cast<size_t>(labels[vertex])];
    if (of_label == 0) of_label = vertex + 1;
    found.push_back(of_label);
  }
  return found;
}

struct Arc {
  int64_t tail, head, weight;
};

struct ArcList {
  int64_t n_vertices = 0;
  bool symmetric = false;
  std::vector<Arc> arcs;
};

inline uint64_t digest(const std::vector<uint64_t> &values) {
  uint64_t sum = 0, place = 0;
  for (uint64_t value : values) {
    place += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = value + place;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    sum += mixed ^ (mixed >> 31);
  }
  return sum;
}

// The channel on which answers are given: what a peer prints must not come between them.
inline FILE *answers() {
  static FILE *const file = [] {
    FILE *const kept = fdopen(dup(1), "w");
    dup2(2, 1);
    return kept;
  }();
  return file;
}

inline std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + '"';
}

inline void answer(const char *kind, const std::string &what) {
  fprintf(answers(), "{\"%s\": %s}\n", kind, what.c_str());
  fflush(answers());
}

// A Matrix Market file of whole numbers.
inline ArcList read_arcs(const std::string &path) {
  std::ifstream file(path);
  std::string banner, object, layout, field, symmetry, line;
  file >> banner >> object >> layout >> field >> symmetry >> std::ws;
  while (file.peek() == '%') std::getline(file, line);
  ArcList list;
  int64_t n_columns = 0, n_arcs = 0;
  file >> list.n_vertices >> n_columns >> n_arcs;
  if (!file || banner != "%%MatrixMarket") throw std::runtime_error("cannot read " + path);
  list.symmetric = symmetry == "symmetric";
  for (int64_t i = 0; i < n_arcs; i++) {
    Arc arc{0, 0, 1};
    file >> arc.tail >> arc.head;
    if (field != "pattern") file >> arc.weight;
    if (!file) throw std::runtime_error("not all arcs are in " + path);
    list.arcs.push_back(Arc{arc.tail - 1, arc.head - 1, arc.weight});
  }
  return list;
}

using Opener = std::function<Peer(Given &)>;

// Opens the peer that the command line names and does what standard input says.
inline int serve(int argc, char **argv, const std::string &name, const Opener &open) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  answers();
  Given given;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    const size_t sign = argument.find('=');
    if (sign != std::string::npos) given[argument.substr(0, sign)] = argument.substr(sign + 1);
  }
  const auto began = Clock::now();
  Peer peer;
  try {
    peer = open(given);
  } catch (const std::exception &error) {
    answer("failed", quoted(error.what()));
    return 0;
  }
  std::vector<uint64_t> squares;
  for (uint64_t i = 0; i < 100; i++) squares.push_back(i * i);
  std::ostringstream hello;
  char check[17];
  snprintf(check, sizeof check, "%016" PRIx64, digest(squares));
  hello << "{\"peer\": " << quoted(name) << ", \"version\": " << quoted(peer.version)
        << ", \"language\": \"C++\", \"threads\": " << peer.threads
        << ", \"load_s\": " << Seconds(Clock::now() - began).count() - peer.choosing_s
        << ", \"conditions\": " << quoted(peer.conditions) << ", \"check\": \"" << check << "\"}";
  answer("hello", hello.str());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string request;
    long runs = 0;
    words >> request >> runs;
    if (request == "run" && runs > 0) {
      double seconds = 0;
      for (long i = 0; i < runs; i++) {
        const auto begun = Clock::now();
        peer.work();
        seconds += Seconds(Clock::now() - begun).count();
      }
      std::ostringstream ran;
      ran.precision(9);
      ran << "{\"runs\": " << runs << ", \"seconds\": " << seconds << "}";
      answer("ran", ran.str());
    } else if (request == "digest") {
      char text[17];
      snprintf(text, sizeof text, "%016" PRIx64, digest(peer.values()));
      answer("digest", quoted(text));
    } else {
      answer("failed", quoted("an unknown request: " + line));
    }
  }
  return 0;
}

}  // namespace star
