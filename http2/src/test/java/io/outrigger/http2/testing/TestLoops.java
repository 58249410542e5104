package io.outrigger.http2.testing;

import io.outrigger.http2.EventLoops;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * Event loops of tests. The system property {@code outrigger.test.transport} says how they talk to
 * the operating system.
 */
public final class TestLoops {
  private static final EventLoops.TransportKind TRANSPORT =
      EventLoops.TransportKind.valueOf(
          System.getProperty("outrigger.test.transport", "auto").toUpperCase(Locale.ROOT));

  private TestLoops() {}

  public static EventLoops start(int count) {
    return EventLoops.start(TRANSPORT, count);
  }

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
