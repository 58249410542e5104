package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.tree.ParkedCall;
import org.jspecify.annotations.Nullable;

/** An xDS target as event loops see it: its selector, and where to wait for another one. */
@AnyThread
public interface ForwardTarget {
  /** The target as configured, such as {@code xds:///orders}. */
  String name();

  /** The data-plane authority: what virtual hosts match and what goes upstream. */
  String authority();

  /** The selector in force; null until the first result. One volatile read. */
  @Nullable ConfigSelector selector();

  /**
   * Parks {@code call} until another selector is published than {@code seen}.
   *
   * @param seen null to wait for the first one
   * @return a ticket for {@link #unpark}, or a negative number: look again at once
   */
  long park(ParkedCall call, @Nullable ConfigSelector seen);

  /** Takes a parked call out. False when its {@code wake} comes or came. */
  boolean unpark(long ticket);
}
