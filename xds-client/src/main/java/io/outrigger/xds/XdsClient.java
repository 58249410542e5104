package io.outrigger.xds;

import io.outrigger.base.ControlConfined;

@ControlConfined
public interface XdsClient {
  /**
   * Watches one resource. A cached resource or error is delivered before this method returns. The
   * watcher is not called after the watch is closed.
   *
   * @param name the resource's name, plain or xdstp
   */
  <T> Watch watch(ResourceType<T> type, String name, ResourceWatcher<T> watcher);

  interface Watch {
    void close();
  }
}
