package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;

/**
 * Decides when a policy publishes its state. During an update, children may publish, but the policy
 * computes its own state only once, after all children were updated (A56 "Configuration Updates").
 */
@ControlConfined
public final class PublishGate {
  private final Runnable publish;
  private boolean held;
  private boolean wanted;
  private boolean posted;
  private boolean closed;

  /**
   * @param publish computes the policy's state from the states of the children, publishes the
   *     state, and may update children
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

  /**
   * Posts a task that publishes if the policy has not published before the task runs. If this
   * method is called while {@code publish} runs, it has no effect.
   */
  public void requestLater(ControlLoop control) {
    if (!posted) {
      posted = true;
      control.execute(
          () -> {
            if (posted) {
              request();
            }
          });
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

  /** Ends all publication: after this call, {@code publish} never runs. */
  public void close() {
    closed = true;
  }

  public boolean isClosed() {
    return closed;
  }

  private void holding(Runnable task) {
    held = true;
    try {
      task.run();
      while (wanted && !closed) {
        wanted = false;
        publish.run();
      }
    } finally {
      held = false;
      wanted = false;
      posted = false;
    }
  }
}
