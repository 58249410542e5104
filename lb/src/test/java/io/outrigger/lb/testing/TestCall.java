package io.outrigger.lb.testing;

import io.outrigger.lb.PickContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call of event loop {@code loop}. */
public record TestCall(int loop, long hash, Map<String, String> headers) implements PickContext {
  /** A call of the first loop. */
  public static final TestCall CALL = new TestCall(0);

  public TestCall(int loop) {
    this(loop, 0, Map.of());
  }

  /** A call with this hash. */
  public static TestCall hashed(long hash) {
    return new TestCall(0, hash, Map.of());
  }

  /** A call with this header. */
  public static TestCall with(String header, String value) {
    return new TestCall(0, 0, Map.of(header, value));
  }

  @Override
  public @Nullable String header(String name) {
    return headers.get(name);
  }
}
