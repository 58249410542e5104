package io.outrigger.lb.tree;

import io.outrigger.lb.Picker;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;

/** Handles without a tree, for tests of what refers to clusters. */
public final class ClusterHandles {
  private ClusterHandles() {}

  /** A handle that queues every pick until {@link #publish}. */
  public static ClusterHandle named(String name) {
    return new ClusterHandle(name, new Picker.Fixed(Samples.QUEUE), handle -> {}, () -> {});
  }

  /** Refuses further calls, as when no route names the cluster any more. */
  public static void retire(ClusterHandle handle) {
    handle.retire();
  }

  /** Gives the cluster a resolution note, as its configuration would. */
  public static void note(ClusterHandle handle, String note) {
    handle.note(note);
  }

  /** Publishes as the tree would. */
  public static void publish(ClusterHandle handle, Connectivity state, Picker picker) {
    handle.publish(state, picker);
  }
}
