package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.upstream.UpstreamSettings.KeepAlive;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How new connections of one subchannel are probed: as configured, until the backend ends a
 * connection because it got too many PINGs. Then the time doubles (A8 "Basic Keepalive").
 */
@AnyThread
final class KeepAliveTime {
  private static final Logger log = LoggerFactory.getLogger(KeepAliveTime.class);

  /** A8 "Server Enforcement": every server permits a PING in that time. */
  private static final Duration LONGEST = Duration.ofHours(2);

  private volatile Optional<KeepAlive> current;

  KeepAliveTime(Optional<KeepAlive> configured) {
    current = configured;
  }

  /** For a connection that begins now; empty without probes. */
  Optional<KeepAlive> current() {
    return current;
  }

  /**
   * {@code backend} sent {@code too_many_pings} on a connection that was probed as {@code used}.
   */
  void onTooManyPings(KeepAlive used, Object backend) {
    Duration doubled = used.time().multipliedBy(2);
    KeepAlive known = current.orElse(used);
    if (doubled.compareTo(known.time()) > 0 && known.time().compareTo(LONGEST) < 0) {
      current = Optional.of(new KeepAlive(doubled, used.timeout()));
      log.warn(
          "{}: ends connections for too many pings, new ones are probed after {} s of silence;"
              + " set --keepalive-time to what the backend permits",
          backend,
          doubled.toSeconds());
    }
  }
}
