package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.upstream.UpstreamSettings.KeepAlive;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keepalive settings for new connections of one subchannel; at first the configured settings.
 * Each time the backend ends a connection because of too many PINGs, the interval doubles (A8
 * "Basic Keepalive").
 */
@AnyThread
final class KeepAliveTime {
  private static final Logger log = LoggerFactory.getLogger(KeepAliveTime.class);

  /** A8 "Server Enforcement": every server permits one PING per two hours. */
  private static final Duration MAX_TIME = Duration.ofHours(2);

  private volatile Optional<KeepAlive> current;

  KeepAliveTime(Optional<KeepAlive> configured) {
    current = configured;
  }

  /** The settings for the next connection; empty when keepalive is off. */
  Optional<KeepAlive> current() {
    return current;
  }

  /** Called when the backend ended a connection because of too many PINGs. */
  void onTooManyPings(KeepAlive used, Object backend) {
    Duration doubled = used.time().multipliedBy(2);
    KeepAlive known = current.orElse(used);
    if (doubled.compareTo(known.time()) > 0 && known.time().compareTo(MAX_TIME) < 0) {
      current = Optional.of(new KeepAlive(doubled, used.timeout()));
      log.warn(
          "{}: ends connections because of too many PINGs; new connections send a PING after {} s"
              + " of silence; set --keepalive-time to what the backend permits",
          backend,
          doubled.toSeconds());
    }
  }
}
