package io.outrigger.lb.testing;

import io.outrigger.lb.PickContext;

/** A call of event loop {@code loop}. */
public record TestCall(int loop) implements PickContext {
  /** A call of the first loop. */
  public static final TestCall CALL = new TestCall(0);
}
