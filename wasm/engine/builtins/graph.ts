// What can be reached in a graph, and by which paths (OPA's v1/topdown/reachable.go).

import { alloc } from '../../common/arena';
import { equal } from '../compare';
import { Failure, failed, stop } from '../failure';
import { add, get, has, newSet } from '../object';
import {
  ELEMENTS,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  LENGTH,
  lengthOf,
  newArray,
  push,
} from '../value';

/** The longest path; OPA has no limit, but a path that long only comes from an attack. */
const PATH_MAX: u32 = 4096;

function isVertices(value: u32): bool {
  return kindOf(value) == Kind.Array || kindOf(value) == Kind.Set;
}

/** How many vertices an array or a set has; anything else has none. */
function countOf(vertices: u32): u32 {
  return isVertices(vertices) ? lengthOf(vertices) : 0;
}

function vertexAt(vertices: u32, index: u32): u32 {
  return kindOf(vertices) == Kind.Set ? keyAt(vertices, index) : elementAt(vertices, index);
}

export function b_graph_reachable(graph: u32, initial: u32): u32 {
  if (kindOf(graph) != Kind.Object || !isVertices(initial)) return failed(Failure.Type);
  const reached = newSet(0);
  const queue = newArray(countOf(initial));
  enqueue(queue, initial, reached);
  for (let i: u32 = 0; i < lengthOf(queue); i++) {
    const vertex = elementAt(queue, i);
    if (has(reached, vertex)) continue;
    const edges = get(graph, vertex);
    if (edges == 0) continue;
    add(reached, vertex);
    enqueue(queue, edges, reached);
  }
  return reached;
}

function enqueue(queue: u32, vertices: u32, reached: u32): void {
  const count = countOf(vertices);
  for (let i: u32 = 0; i < count; i++) {
    const vertex = vertexAt(vertices, i);
    if (!has(reached, vertex)) push(queue, vertex);
  }
}

// The path that is being followed, and its vertices as a set that shrinks with it.
let graphNow: u32 = 0;
let path: u32 = 0;
let depth: u32 = 0;
let found: u32 = 0;

/** All paths to a vertex without edges or to the last before a cycle; there can be exponentially many. */
export function b_graph_reachable_paths(graph: u32, initial: u32): u32 {
  if (kindOf(graph) != Kind.Object || !isVertices(initial)) return failed(Failure.Type);
  graphNow = graph;
  found = newSet(0);
  path = alloc(PATH_MAX << 2);
  for (let i: u32 = 0; i < countOf(initial); i++) {
    const vertex = vertexAt(initial, i);
    const edges = get(graph, vertex);
    if (edges == 0) continue;
    depth = 0;
    store<u32>(path, vertex);
    depth = 1;
    follow(edges);
  }
  return found;
}

/** Follows the edges of the path's last vertex. */
function follow(edges: u32): void {
  const count = countOf(edges);
  if (count == 0) return commit();
  for (let i: u32 = 0; i < count; i++) {
    const vertex = vertexAt(edges, i);
    // The first step is not compared with where it began, as in OPA.
    if (depth > 1 && onPath(vertex)) {
      commit();
      continue;
    }
    const next = get(graphNow, vertex);
    if (next == 0) {
      commit();
      continue;
    }
    if (depth == PATH_MAX) stop(Failure.Depth);
    store<u32>(path + (depth << 2), vertex);
    depth += 1;
    follow(next);
    depth -= 1;
  }
}

function onPath(vertex: u32): bool {
  for (let i: u32 = 0; i < depth; i++) {
    if (equal(load<u32>(path + (i << 2)), vertex)) return true;
  }
  return false;
}

/** The path so far is an answer. */
function commit(): void {
  const copy = newArray(depth);
  memory.copy(load<u32>(copy, ELEMENTS), path, depth << 2);
  store<u32>(copy, depth, LENGTH);
  add(found, copy);
}
