package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.SessionHint;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The session of one call: the endpoint that its cookie requests, and the endpoint to which the
 * call was sent. A request without a readable cookie starts a new session.
 */
@LoopConfined
public final class Session implements SessionHint {
  /** The prefix of cluster names in A60's text, which no client sends. */
  private static final String CLUSTER_PREFIX = "cluster:";

  private final SessionFilter filter;
  private final @Nullable SessionValue asked;
  private List<EndpointAddress> used = List.of();

  Session(SessionFilter filter, @Nullable SessionValue asked) {
    this.filter = filter;
    this.asked = asked;
  }

  /**
   * Returns the cluster that the cookie names, with or without the prefix of A60's text (A55-04);
   * empty unless that cluster is in {@code clusters}.
   */
  public String cluster(Set<String> clusters) {
    String named = asked == null ? "" : asked.cluster();
    if (!clusters.contains(named) && named.startsWith(CLUSTER_PREFIX)) {
      named = named.substring(CLUSTER_PREFIX.length());
    }
    return clusters.contains(named) ? named : "";
  }

  @SuppressWarnings("ReferenceEquality") // a chain may have two filters with the same settings
  boolean isOf(SessionFilter other) {
    return filter == other;
  }

  /** The cluster that the cookie names; may be empty. */
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
   * Returns the value of the {@code set-cookie} field to add to a backend's response (A60 "Response
   * Side Processing").
   *
   * @param cluster the cluster in which the call was balanced
   * @return empty when the client's cookie already names the used endpoint and cluster
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
