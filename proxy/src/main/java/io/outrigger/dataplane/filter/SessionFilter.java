package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.FilterPlan.CookieSession;
import io.outrigger.lb.SessionHint;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Implements cookie-based sessions (A55, A60). A request within the cookie's path gets a {@link
 * Session}, which is passed to picks. The response gets a cookie that names the endpoint of the
 * call. If a route has several session filters, only the first filter acts (decision proxy-0012).
 */
@AnyThread
public final class SessionFilter implements RouteFilter {
  private static final String COOKIE = "cookie";
  private static final String SET_COOKIE = "set-cookie";

  /** The prefix that A60's text puts before the cluster's name; clients omit this prefix. */
  private static final String CLUSTER_PREFIX = "cluster:";

  private final String name;
  private final String path;

  /** The attributes of a {@code set-cookie} field after the value (A55-08). */
  private final String attributes;

  private SessionFilter(FilterConfig.SessionCookie cookie) {
    name = cookie.name();
    path = cookie.path();
    String maxAge = "";
    if (!cookie.ttl().isZero()) {
      long seconds = Math.max(1, cookie.ttl().toSeconds()); // Max-Age=0 would delete the cookie
      maxAge = "; Max-Age=" + seconds;
    }
    attributes = "; HttpOnly" + (path.isEmpty() ? "" : "; Path=" + path) + maxAge;
  }

  /** Returns a session filter; empty when the settings disable it (A55-11). */
  public static Optional<SessionFilter> of(FilterConfig.StatefulSession settings) {
    return settings.cookie().map(SessionFilter::new);
  }

  @Override
  public FilterStep onRequest(FilteredCall call) {
    if (call.session() == null) {
      Session session = begin(call.request());
      if (session != null) {
        call.session(session);
        call.changeCluster(session.cluster(call.clusters())); // A60 "Request Side Processing"
      }
    }
    return FilterStep.PROCEED;
  }

  /** Adds the session cookie; cookies that the backend sets remain (SC-40). */
  @Override
  @SuppressWarnings("ReferenceEquality") // two filters of a chain may have equal settings
  public void onResponse(FilteredCall call, BiConsumer<String, String> fields) {
    if (call.session() instanceof Session own && own.filter() == this) {
      own.setCookie(call.cluster()).ifPresent(value -> fields.accept(SET_COOKIE, value));
    }
  }

  @Override
  public Optional<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return Optional.ofNullable(begin(request))
        .map(
            session ->
                new CookieSession(
                    name, session.namedCluster(), session.cluster(clusters), session.preferred()))
        .map(requested -> new FilterPlan("stateful_session", Map.of(), Optional.of(requested)));
  }

  /** Returns the request's session; null when the request is outside the cookie's path (A55-02). */
  public @Nullable Session begin(RequestView request) {
    if (!covers(request.path())) {
      return null;
    }
    String cookies = request.header(COOKIE);
    String value = cookies == null ? null : valueIn(cookies);
    return new Session(value == null ? null : Value.decode(value).orElse(null));
  }

  /** Whether the request path matches the cookie's path (RFC 6265 section 5.1.4). */
  private boolean covers(String target) {
    if (path.isEmpty()) {
      return true;
    }
    int query = target.indexOf('?');
    int length = query < 0 ? target.length() : query;
    if (length < path.length() || !target.startsWith(path)) {
      return false;
    }
    return length == path.length() || path.endsWith("/") || target.charAt(path.length()) == '/';
  }

  /** Returns the value, without quotes, of the first cookie named {@link #name}; null if absent. */
  private @Nullable String valueIn(String cookies) {
    String start = name + "=";
    int at = cookies.indexOf(start);
    while (at >= 0) {
      int before = at - 1;
      while (before >= 0 && cookies.charAt(before) <= ' ') {
        before--;
      }
      if (before < 0 || cookies.charAt(before) == ';') {
        int semicolon = cookies.indexOf(';', at);
        int end = semicolon < 0 ? cookies.length() : semicolon;
        String value = cookies.substring(at + start.length(), end).stripTrailing();
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
      }
      at = cookies.indexOf(start, at + 1);
    }
    return null;
  }

  /**
   * The session of one call. Holds the endpoint that the cookie names, and the endpoint to which
   * the call was sent. A request without a valid cookie starts a new session.
   */
  @LoopConfined
  public final class Session implements SessionHint {
    private final @Nullable Value requested;
    private List<EndpointAddress> used = List.of();

    private Session(@Nullable Value requested) {
      this.requested = requested;
    }

    private SessionFilter filter() {
      return SessionFilter.this;
    }

    /**
     * Returns the cluster that the cookie names if it is one of the given clusters; otherwise an
     * empty text. The cluster's name in the cookie may begin with {@link #CLUSTER_PREFIX} (A55-04).
     */
    public String cluster(Set<String> clusters) {
      String named = namedCluster();
      if (!clusters.contains(named) && named.startsWith(CLUSTER_PREFIX)) {
        named = named.substring(CLUSTER_PREFIX.length());
      }
      return clusters.contains(named) ? named : "";
    }

    /** The cluster in the cookie; may be empty. */
    private String namedCluster() {
      return requested == null ? "" : requested.cluster();
    }

    @Override
    public List<EndpointAddress> preferred() {
      return requested == null ? List.of() : requested.addresses();
    }

    @Override
    public void picked(List<EndpointAddress> addresses) {
      used = addresses;
    }

    /**
     * Returns the value of the {@code set-cookie} field to add to a backend's response (A60
     * "Response Side Processing").
     *
     * @param cluster the cluster in which the call was balanced
     * @return the field's value; empty when the client's cookie already names the used endpoint and
     *     cluster
     */
    public Optional<String> setCookie(String cluster) {
      if (used.isEmpty()) {
        return Optional.empty();
      }
      boolean isKnown =
          requested != null
              && requested.addresses().equals(used)
              && requested.cluster().equals(cluster);
      return isKnown
          ? Optional.empty()
          : Optional.of(name + "=" + new Value(used, cluster).encode() + attributes);
    }
  }

  /**
   * The content of a session cookie (A60 "Include Cluster Name in the Cookie", A75): {@code
   * addr[,addr…];cluster} in base64.
   *
   * @param addresses the addresses of one endpoint, beginning with the address in use; never empty
   * @param cluster the cluster; empty in a cookie of A55's form, which does not name the cluster
   */
  record Value(List<EndpointAddress> addresses, String cluster) {
    /** The maximum number of addresses in a cookie; others are ignored (decision proxy-0012). */
    static final int MAX_ADDRESSES = 64;

    Value {
      addresses = List.copyOf(addresses);
      if (addresses.isEmpty()) {
        throw new IllegalArgumentException("a session without address");
      }
    }

    /** Decodes a cookie's value; empty when it is not base64 or contains no address (A55-03). */
    static Optional<Value> decode(String text) {
      String value;
      try {
        value = new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException notBase64) {
        return Optional.empty();
      }
      int semicolon = value.indexOf(';');
      List<EndpointAddress> addresses =
          addresses(semicolon < 0 ? value : value.substring(0, semicolon));
      String cluster = semicolon < 0 ? "" : value.substring(semicolon + 1);
      return addresses.isEmpty() ? Optional.empty() : Optional.of(new Value(addresses, cluster));
    }

    String encode() {
      String list =
          addresses.stream().map(EndpointAddress::toString).collect(Collectors.joining(","));
      byte[] value = (list + ";" + cluster).getBytes(StandardCharsets.UTF_8);
      return Base64.getEncoder().encodeToString(value);
    }

    private static List<EndpointAddress> addresses(String list) {
      return Stream.of(list.split(",", MAX_ADDRESSES + 1))
          .limit(MAX_ADDRESSES)
          .flatMap(text -> EndpointAddress.parse(text).stream())
          .toList();
    }
  }
}
