package io.outrigger.dataplane.downstream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.forward.Caller;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Identifies the peers of accepted connections, and decides which connections are served. */
@AnyThread
@FunctionalInterface
public interface Admission {
  /**
   * Adds handlers to an accepted channel, or closes the channel. Runs on the event loop of the
   * channel, before the first read.
   *
   * @param http2 creates the handler that serves HTTP/2 to a caller
   */
  void admit(Channel channel, Function<Caller, ChannelHandler> http2);

  /**
   * Returns the delays for ending a connection that the current configuration or certificates no
   * longer allow; null to keep the connection open. Runs on the event loop of the connection.
   */
  default @Nullable Retirement retirement(Caller caller) {
    return null;
  }

  /** The delays until a connection gets GOAWAY, and until it is closed even with open streams. */
  record Retirement(Duration goAwayDelay, Duration closeDelay) {}
}
