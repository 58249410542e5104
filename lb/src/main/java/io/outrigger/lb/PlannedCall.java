package io.outrigger.lb;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A call that is not made: what a {@link Picker#plan} may depend on. Immutable; any thread. */
public interface PlannedCall {
  /** The hash of the request by its route's policies; empty when each request gets another. */
  OptionalLong hash();

  /** As {@link PickContext#header}. */
  @Nullable String header(String name);
}
