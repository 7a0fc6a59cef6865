/* libcbt (https://github.com/jdupuy/libcbt, public domain) as a process: one command a line, one answer a line.
   Compiled with its folder in the include path.

   load FILE     takes the packed heap in a file; answers the number of leaves
   split K       splits node K and sums up, untimed        merge K   merges the children of K, likewise
   hash          FNV-1a of the bytes of the heap
   decode        all nodes with ids and depths stored; answers nanoseconds and a sum of both
   reduce        the sum reduction; answers nanoseconds                                                */

#define CBT_IMPLEMENTATION
#include "cbt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static cbt_Tree *load(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long n_bytes = ftell(file);
  rewind(file);
  char *bytes = malloc(n_bytes);
  cbt_Tree *tree = NULL;
  if (bytes && fread(bytes, 1, n_bytes, file) == (size_t)n_bytes) {
    int64_t depth = 0;
    while ((INT64_C(1) << depth) < 2 * n_bytes) ++depth;
    tree = cbt_Create(depth);
    cbt_SetHeap(tree, bytes);
  }
  free(bytes);
  fclose(file);
  return tree;
}

int main(void) {
  char line[4096];
  cbt_Tree *tree = NULL;
  uint32_t *ids = NULL;
  uint8_t *depths = NULL;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "load ", 5)) {
      if (tree) cbt_Release(tree);
      tree = load(line + 5);
      if (!tree) return 1;
      int64_t n = cbt_NodeCount(tree);
      free(ids);
      free(depths);
      ids = malloc(n * sizeof *ids);
      depths = malloc(n);
      if (!ids || !depths) return 1;
      printf("%" PRId64 "\n", n);
    } else if (!tree) {
      return 2;
    } else if (!strncmp(line, "split ", 6)) {
      cbt_SplitNode(tree, cbt_CreateNodeFromHeapID(strtoull(line + 6, NULL, 10)));
      cbt__ComputeSumReduction(tree);
      printf("0\n");
    } else if (!strncmp(line, "merge ", 6)) {
      cbt_MergeNode(tree, cbt_CreateNodeFromHeapID(2 * strtoull(line + 6, NULL, 10)));
      cbt__ComputeSumReduction(tree);
      printf("0\n");
    } else if (!strcmp(line, "hash")) {
      uint64_t hash = UINT64_C(0xcbf29ce484222325);
      const unsigned char *heap = (const unsigned char *)cbt_GetHeap(tree);
      for (int64_t i = 0; i < cbt_HeapByteSize(tree); ++i) hash = (hash ^ heap[i]) * UINT64_C(0x100000001b3);
      printf("%" PRIu64 "\n", hash);
    } else if (!strcmp(line, "decode")) {
      int64_t n = cbt_NodeCount(tree), start = now();
      for (int64_t i = 0; i < n; ++i) {
        cbt_Node node = cbt_DecodeNode(tree, i);
        ids[i] = (uint32_t)node.id;
        depths[i] = (uint8_t)node.depth;
      }
      int64_t took = now() - start;
      uint64_t sum = 0;
      for (int64_t i = 0; i < n; ++i) sum = sum * 31 + ids[i] * UINT64_C(32) + depths[i];
      printf("%" PRId64 " %" PRIu64 "\n", took, sum);
    } else if (!strcmp(line, "reduce")) {
      int64_t start = now();
      cbt__ComputeSumReduction(tree);
      printf("%" PRId64 "\n", now() - start);
    } else {
      return 3;
    }
    fflush(stdout);
  }
  return 0;
}
