package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first of many routes that matches a request, without testing every route (A28-04). An
 * index is immutable, and a lookup allocates nothing.
 *
 * <p>Every route has a {@link RouteKey key}: a prefix of all paths that the route can match,
 * ignoring case. A walk along the request's path through a radix tree of the keys finds the few
 * routes whose key is a prefix of the path. These routes are tested in their order with all their
 * matchers. The tree skips only routes that cannot match, so the result and the draws of fractions
 * equal those of a scan over all routes.
 */
@AnyThread
public final class RouteIndex {
  /** The result of {@link #first} when no route matches. */
  public static final int NONE = -1;

  private static final int[] NO_ROUTES = {};

  private final List<Route> source;
  private final Route[] routes;
  private final Node root;

  private RouteIndex(List<Route> source) {
    this.source = source;
    this.routes = source.toArray(Route[]::new);
    Keyed[] keyed =
        IntStream.range(0, routes.length)
            .mapToObj(place -> new Keyed(RouteKey.of(routes[place].match().path()), place))
            .sorted()
            .toArray(Keyed[]::new);
    this.root = tree(keyed, 0, keyed.length, 0, null);
  }

  /** Creates an index of {@code routes}, which are in order of preference. */
  public static RouteIndex of(List<Route> routes) {
    return new RouteIndex(List.copyOf(routes));
  }

  /** Returns the index of {@code next}, which is this instance when the routes are equal. */
  public RouteIndex with(List<Route> next) {
    return next.equals(source) ? this : of(next);
  }

  public Route route(int place) {
    return routes[place];
  }

  public int size() {
    return routes.length;
  }

  /**
   * Returns the place of the first route that matches, or {@link #NONE}, and reports the tested
   * routes.
   *
   * @param path the path of the request, without the query
   * @param trace notified of each route that is tested; null for no notifications
   */
  public int first(
      String path, RequestView request, RandomSource random, @Nullable RouteTrace trace) {
    Node fitting = longestKey(path);
    int from = 0;
    while (true) {
      int next = routes.length;
      for (Node node = fitting; node != null; node = node.shorter) {
        next = Math.min(next, node.firstFrom(from, next));
      }
      if (next == routes.length) {
        return NONE;
      }
      int miss = routes[next].match().miss(path, request, random);
      if (trace != null) {
        trace.onAsked(next, miss);
      }
      if (miss == RouteMatch.NO_MISS) {
        return next;
      }
      from = next + 1;
    }
  }

  /**
   * Returns the node of the longest key that is a prefix of {@code path}. The nodes of shorter keys
   * are linked from that node.
   */
  private @Nullable Node longestKey(String path) {
    Node longest = null;
    Node node = root;
    int at = 0;
    while (node != null && node.fits(path, at)) {
      at += node.label.length();
      if (node.routes.length > 0) {
        longest = node;
      }
      node = at < path.length() ? node.child(RouteKey.fold(path.charAt(at))) : null;
    }
    return longest;
  }

  /** A route's key and place, ordered by key and then by place. */
  private record Keyed(String key, int place) implements Comparable<Keyed> {
    @Override
    public int compareTo(Keyed other) {
      int byKey = key.compareTo(other.key);
      return byKey != 0 ? byKey : Integer.compare(place, other.place);
    }
  }

  /**
   * Builds the subtree of {@code sorted[from, to)}, whose keys share their first {@code depth}
   * characters.
   *
   * @param shorter the nearest ancestor that has routes
   */
  private static Node tree(Keyed[] sorted, int from, int to, int depth, @Nullable Node shorter) {
    if (from == to) {
      return new Node("", NO_ROUTES, null, "");
    }
    String first = sorted[from].key();
    // The first and the last key in sorted order have the same common prefix as all keys.
    int end = commonEnd(first, sorted[to - 1].key(), depth);
    int rest = from;
    while (rest < to && sorted[rest].key().length() == end) {
      rest++;
    }
    int[] places = Arrays.stream(sorted, from, rest).mapToInt(Keyed::place).toArray();
    var firsts = new StringBuilder();
    for (int i = rest; i < to; i++) {
      char letter = sorted[i].key().charAt(end);
      if (firsts.isEmpty() || firsts.charAt(firsts.length() - 1) != letter) {
        firsts.append(letter);
      }
    }
    Node node = new Node(first.substring(depth, end), places, shorter, firsts.toString());
    Node above = places.length > 0 ? node : shorter;
    int start = rest;
    for (int child = 0; child < node.children.length; child++) {
      int next = start;
      while (next < to && sorted[next].key().charAt(end) == firsts.charAt(child)) {
        next++;
      }
      node.children[child] = tree(sorted, start, next, end, above);
      start = next;
    }
    return node;
  }

  private static int commonEnd(String one, String other, int from) {
    int end = from;
    while (end < one.length() && end < other.length() && one.charAt(end) == other.charAt(end)) {
      end++;
    }
    return end;
  }

  /**
   * A node of the radix tree. The label of a node is the part of its keys that follows the label of
   * the parent node.
   */
  private static final class Node {
    private final String label;

    /** The places of the routes whose key ends at this node, ascending. */
    private final int[] routes;

    private final @Nullable Node shorter;

    /** The first characters of the children's labels, ascending. */
    private final char[] firsts;

    /** The children, which are filled in while the tree is built. */
    private final Node[] children;

    Node(String label, int[] routes, @Nullable Node shorter, String firsts) {
      this.label = label;
      this.routes = routes;
      this.shorter = shorter;
      this.firsts = firsts.toCharArray();
      this.children = new Node[firsts.length()];
    }

    boolean fits(String path, int at) {
      if (path.length() - at < label.length()) {
        return false;
      }
      for (int i = 0; i < label.length(); i++) {
        if (RouteKey.fold(path.charAt(at + i)) != label.charAt(i)) {
          return false;
        }
      }
      return true;
    }

    @Nullable Node child(char first) {
      int i = Arrays.binarySearch(firsts, first);
      return i < 0 ? null : children[i];
    }

    /**
     * Returns the first place of this node that is at least {@code from}, or {@code otherwise} when
     * there is no such place.
     */
    int firstFrom(int from, int otherwise) {
      int i = from == 0 ? 0 : Arrays.binarySearch(routes, from);
      int found = i < 0 ? -i - 1 : i;
      return found < routes.length ? routes[found] : otherwise;
    }
  }
}
