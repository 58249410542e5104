package io.outrigger.program.testing.mesh;

import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.ForwardSettings;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The settings of the data plane that follow from the defaults of the flags. */
public final class DefaultSettings {
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(30);

  public static final UpstreamSettings UPSTREAM =
      new UpstreamSettings(
          CONNECT_TIMEOUT, Optional.empty(), IDLE_TIMEOUT, ConnectionSettings.DEFAULT);

  public static final ListenerSettings LISTENER =
      new ListenerSettings(10_000, ConnectionSettings.DEFAULT.withMaxConcurrentStreams(1_000));

  /** A gauge without limits, which always measures 0 bytes. */
  public static final MemoryGauge MEMORY =
      new MemoryGauge(
          new MemoryGauge.Limits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
          () -> 0,
          () -> 0,
          () -> 0,
          Long.MAX_VALUE);

  /** The fewest attributes: those that metrics always have. */
  public static final Measuring LITTLE = new Measuring(Set.of(), false, false, false, false);

  private DefaultSettings() {}

  public static ForwardSettings forward(String nodeId) {
    return forward(nodeId, LITTLE);
  }

  public static ForwardSettings forward(String nodeId, Measuring measuring) {
    return new ForwardSettings(
        new AuthorityMode.OfTarget(),
        10_000,
        ForwardSettings.MAX_QUEUED_BYTES,
        measuring,
        () -> nodeId);
  }

  public static ForwardSettings forward(AuthorityMode mode, int requests, long bytes) {
    return new ForwardSettings(mode, requests, bytes, LITTLE, () -> "node-1");
  }
}
