package io.outrigger.proxy.testing;

import io.netty.channel.uring.IoUring;
import java.util.Optional;

/**
 * Whether tests try io_uring: where it works and {@code -Doutrigger.test.io-uring=true} asks for
 * it. It can damage the memory of the JVM that all integration tests share
 * (proxy/docs/performance.md, "Transports").
 */
public final class IoUringTrials {
  private IoUringTrials() {}

  /** Why not; empty when they do. */
  public static Optional<String> obstacle() {
    if (!Boolean.getBoolean("outrigger.test.io-uring")) {
      return Optional.of("io_uring is tried with -Doutrigger.test.io-uring=true only");
    }
    return Optional.ofNullable(IoUring.unavailabilityCause())
        .map(cause -> "this kernel or container forbids io_uring: " + cause);
  }
}
