package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/**
 * Delays the publication of a policy's state until all its children are updated. Children may
 * publish during the update, but the policy computes its own state only once (A56 "Configuration
 * Updates").
 */
@ControlConfined
public final class PublishGate {
  private final Runnable publish;
  private boolean held;
  private boolean wanted;

  /**
   * @param publish computes the policy's state from the states of the children and publishes it;
   *     may also update children
   */
  public PublishGate(Runnable publish) {
    this.publish = publish;
  }

  /** Publishes now, or at the end of a running update. */
  public void request() {
    if (held) {
      wanted = true;
    } else {
      holding(() -> wanted = true);
    }
  }

  /** Runs an update, then publishes once. Calls of {@code publishAfter} must not be nested. */
  public void publishAfter(Runnable update) {
    if (held) {
      throw new IllegalStateException("an update within an update");
    }
    holding(
        () -> {
          wanted = true;
          update.run();
        });
  }

  private void holding(Runnable task) {
    held = true;
    try {
      task.run();
      while (wanted) {
        wanted = false;
        publish.run();
      }
    } finally {
      held = false;
      wanted = false;
    }
  }
}
