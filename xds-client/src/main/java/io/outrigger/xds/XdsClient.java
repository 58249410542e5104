package io.outrigger.xds;

import io.outrigger.base.ControlConfined;

/** Watches xDS resources. {@code xds.stream} implements it; tests of the graph use a fake. */
@ControlConfined
public interface XdsClient {
  /**
   * Watches one resource. What is known already is delivered before this returns; nothing is
   * delivered once the watch is closed.
   *
   * @param name the resource's name, plain or xdstp
   */
  <T> Watch watch(ResourceType<T> type, String name, ResourceWatcher<T> watcher);

  /** A watch in force. */
  interface Watch {
    /** Ends the watch; harmless a second time. */
    void close();
  }
}
