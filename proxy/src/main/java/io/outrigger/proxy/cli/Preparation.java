package io.outrigger.proxy.cli;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.proxy.http2.EventLoops;
import io.outrigger.proxy.options.Machine;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.HashSet;
import java.util.List;

/**
 * What the JVM and the libraries do once in each process, whatever it is configured with: on a
 * thread of its own beside the reading of the configuration, in the order in which a run needs it.
 * It is never necessary: what is not done here is done where it is first needed.
 */
final class Preparation {
  private Preparation() {}

  static void run() {
    ResourceDecoder.prepare();
    compareRecords();
    Machine.memoryBytes();
    EventLoops.prepare();
  }

  /** The JVM makes these methods of records by method handles, for which it makes classes. */
  private static void compareRecords() {
    var nowhere = new Locality("", "", "");
    var unused = new HashSet<>(List.of(nowhere, new Locality("", "", "")));
  }
}
