package io.outrigger.lb;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The grammar of the tree: every policy's configuration. Data only; {@code lb.tree} builds it from
 * an XdsConfig and makes the policies. Equal configurations mean nothing to do.
 */
public sealed interface LbConfig {
  /**
   * All children in order of preference; the first that works is used (A56). Child names are stable
   * across updates: the same name keeps its connections.
   */
  record Priority(List<Child> children) implements LbConfig {
    public Priority {
      children = List.copyOf(children);
    }
  }

  /**
   * A named child of {@link Priority}; {@code reresolves}: whether it may ask for re-resolution.
   */
  record Child(String name, LbConfig config, boolean reresolves) {}

  /** Watches calls and ejects endpoints (A50); empty is transparent. */
  record OutlierDetecting(Optional<OutlierDetection> detection, LbConfig child)
      implements LbConfig {}

  /** A cluster's drops and its limit of requests in flight (A27, A32). */
  record ClusterImpl(
      String cluster,
      String edsServiceName,
      List<DropCategory> drops,
      long maxRequests,
      LbConfig child)
      implements LbConfig {
    public ClusterImpl {
      drops = List.copyOf(drops);
    }
  }

  /** Sends sessions to the endpoints they name (A75, A55); transparent without sessions. */
  record OverrideHost(Set<HealthStatus> statuses, Duration idleTimeout, LbConfig child)
      implements LbConfig {
    public OverrideHost {
      statuses = Set.copyOf(statuses);
    }
  }

  /** Children share by weight, among those that are READY (A28). */
  record WeightedTarget(List<Target> targets) implements LbConfig {
    public WeightedTarget {
      targets = List.copyOf(targets);
    }
  }

  /** A named child of {@link WeightedTarget}; {@code weight} is unsigned 32 bit, at least 1. */
  record Target(String name, long weight, LbConfig child) {}

  /**
   * Each READY endpoint in turn.
   *
   * @param note the resolution note, part of each failure (A88)
   */
  record RoundRobin(List<Endpoint> endpoints, String note) implements LbConfig {
    public RoundRobin {
      endpoints = List.copyOf(endpoints);
    }
  }

  /** The first address that connects (A62). */
  record PickFirst(List<Endpoint> endpoints, boolean shuffle, String note) implements LbConfig {
    public PickFirst {
      endpoints = List.copyOf(endpoints);
    }
  }

  /** Always fails: a leaf without endpoints, a cluster that does not exist. */
  record Failing(RpcStatus status) implements LbConfig {}
}
