package io.outrigger.proxy.cli;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.proxy.http2.EventLoops;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.HashSet;
import java.util.List;

/**
 * What libraries do once in each process, whatever it is configured with: on a thread of its own
 * beside the reading of flags and files, in the order in which a run needs it. It is never
 * necessary: what is not done here is done where it is first needed. Both threads take as long, so
 * what goes from one to the other is measured.
 */
final class Preparation {
  private Preparation() {}

  /** What the start waits for. */
  static void run() {
    ResourceDecoder.prepare();
    EventLoops.prepare();
  }

  /**
   * What the first update of a configuration would wait for: the JVM makes these methods of records
   * by method handles, and classes for those.
   */
  static void compareRecords() {
    var nowhere = new Locality("", "", "");
    var unused = new HashSet<>(List.of(nowhere, new Locality("", "", "")));
  }
}
