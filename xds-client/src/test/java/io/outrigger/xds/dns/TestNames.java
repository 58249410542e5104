package io.outrigger.xds.dns;

import io.outrigger.base.ControlLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Lookups that query a name server of a test in place of the machine's name servers. */
public final class TestNames {
  private static final int ATTEMPTS = 2;

  private TestNames() {}

  /**
   * @param timeout the timeout of one query
   */
  public static NettyDnsLookup of(ControlLoop control, InetSocketAddress server, Duration timeout) {
    var conf = new ResolvConf(List.of(server), List.of(), 1, timeout, ATTEMPTS, Set.of());
    return new NettyDnsLookup(control, () -> conf);
  }
}
