package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.SessionHint;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The session of one call: what its cookie asks for, and where it really went. A request without a
 * readable cookie has one as well: it begins here.
 */
@LoopConfined
public final class Session implements SessionHint {
  /** How A60's text, unlike any client, writes the name of a cluster. */
  private static final String CLUSTER_PREFIX = "cluster:";

  private final SessionFilter filter;
  private final @Nullable SessionValue asked;
  private List<EndpointAddress> used = List.of();

  Session(SessionFilter filter, @Nullable SessionValue asked) {
    this.filter = filter;
    this.asked = asked;
  }

  /**
   * Which of {@code clusters} the cookie names, with or without the prefix of A60's text (A55-04);
   * empty when none of them.
   */
  public String cluster(Set<String> clusters) {
    String named = asked == null ? "" : asked.cluster();
    if (!clusters.contains(named) && named.startsWith(CLUSTER_PREFIX)) {
      named = named.substring(CLUSTER_PREFIX.length());
    }
    return clusters.contains(named) ? named : "";
  }

  /** Whether {@code other} gave it to the call. */
  @SuppressWarnings("ReferenceEquality") // a chain may have two filters with the same settings
  boolean isOf(SessionFilter other) {
    return filter == other;
  }

  /** What the cookie says of the cluster; empty when it says nothing. */
  public String namedCluster() {
    return asked == null ? "" : asked.cluster();
  }

  @Override
  public List<EndpointAddress> preferred() {
    return asked == null ? List.of() : asked.addresses();
  }

  @Override
  public void picked(List<EndpointAddress> addresses) {
    used = addresses;
  }

  /**
   * The value of the {@code set-cookie} field that a backend's response is to get (A60 "Response
   * Side Processing").
   *
   * @param cluster in which the call was balanced
   * @return empty when the client's cookie says all that already
   */
  public Optional<String> setCookie(String cluster) {
    if (used.isEmpty()) {
      return Optional.empty();
    }
    boolean isKnown =
        asked != null && asked.addresses().equals(used) && asked.cluster().equals(cluster);
    return isKnown
        ? Optional.empty()
        : Optional.of(filter.setCookie(new SessionValue(used, cluster)));
  }
}
