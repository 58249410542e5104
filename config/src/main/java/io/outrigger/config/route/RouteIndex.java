package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first of many routes that matches a request without asking each of them (A28-04).
 * Immutable; a lookup allocates nothing.
 *
 * <p>The idea: every route has a {@link RouteKey key}, a text with which each path that it can
 * match begins, letter case aside. One walk along the path through a radix tree of the keys finds
 * the few routes whose key fits; these are asked in their order, each with all of its own matchers.
 * The tree only leaves out what cannot match, so the answer is that of a scan from first to last,
 * and so are the draws of fractions on the way.
 */
@AnyThread
public final class RouteIndex {
  /** What {@link #first} answers when no route matches. */
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

  /** An index of {@code routes}, which are in order of preference. */
  public static RouteIndex of(List<Route> routes) {
    return new RouteIndex(List.copyOf(routes));
  }

  /** The index of {@code next}; this very one when nothing changed. */
  public RouteIndex with(List<Route> next) {
    return next.equals(source) ? this : of(next);
  }

  /** The route at {@code place}, as {@link #first} gives it. */
  public Route route(int place) {
    return routes[place];
  }

  public int size() {
    return routes.length;
  }

  /**
   * The place of the first route that matches, or {@link #NONE}.
   *
   * @param path the request's, without its query
   */
  public int first(String path, RequestView request, RandomSource random) {
    return first(path, request, random, null);
  }

  /**
   * The same.
   *
   * @param trace told of each route that is asked; null when nobody wants to know
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

  /** The node of the longest key with which {@code path} begins; shorter ones hang on it. */
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

  /** A route's key and its place; sorts by key, routes of one key by place. */
  private record Keyed(String key, int place) implements Comparable<Keyed> {
    @Override
    public int compareTo(Keyed other) {
      int byKey = key.compareTo(other.key);
      return byKey != 0 ? byKey : Integer.compare(place, other.place);
    }
  }

  /**
   * The subtree of {@code sorted[from, to)}, whose keys agree in their first {@code depth} letters.
   *
   * @param shorter the nearest node above that has routes
   */
  private static Node tree(Keyed[] sorted, int from, int to, int depth, @Nullable Node shorter) {
    if (from == to) {
      return new Node("", NO_ROUTES, null, "");
    }
    String first = sorted[from].key();
    int end = commonEnd(first, sorted[to - 1].key(), depth); // sorted: what is between shares it
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

  /** A text that some keys have in common, after that of the node above. */
  private static final class Node {
    private final String label;

    /** The places of the routes whose key ends here, ascending. */
    private final int[] routes;

    private final @Nullable Node shorter;

    /** The first letters of the children's labels, ascending. */
    private final char[] firsts;

    /** Filled while the tree is built. */
    private final Node[] children;

    Node(String label, int[] routes, @Nullable Node shorter, String firsts) {
      this.label = label;
      this.routes = routes;
      this.shorter = shorter;
      this.firsts = firsts.toCharArray();
      this.children = new Node[firsts.length()];
    }

    /** Whether {@code path} goes on with the label {@code at} there. */
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

    /** The first place of this node from {@code from} on; {@code otherwise} when there is none. */
    int firstFrom(int from, int otherwise) {
      int i = from == 0 ? 0 : Arrays.binarySearch(routes, from);
      int found = i < 0 ? -i - 1 : i;
      return found < routes.length ? routes[found] : otherwise;
    }
  }
}
