package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import org.jspecify.annotations.Nullable;

/** An xDS target: its current selector, and the calls that wait for another selector. */
@AnyThread
public interface ForwardTarget {
  /** The target as configured, such as {@code xds:///orders}. */
  String name();

  /** The data-plane authority, which is matched against virtual hosts and sent to backends. */
  String authority();

  /** The current selector, read from a volatile field; null before the first selector. */
  @Nullable ConfigSelector selector();

  /**
   * Parks a call until another selector is published.
   *
   * @param seen the selector that the call has already used; null to wait for the first selector
   * @return a ticket for {@link #unpark}; negative when another selector is already published
   */
  long park(ParkedCall call, @Nullable ConfigSelector seen);

  /** Removes a parked call. Returns false when the call was woken or will be woken. */
  boolean unpark(long ticket);
}
