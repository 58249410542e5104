package io.outrigger.dataplane.tls;

import io.netty.util.ReferenceCounted;
import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;

/**
 * Estimates the memory that BoringSSL, outside of the heap and of Netty's allocator, uses for the
 * connections of callers. The TLS connections of thousands of idle callers could exceed the memory
 * of a small container. The JDK's TLS engines are on the heap and need no estimate.
 */
@AnyThread
public final class TlsMemory {
  /** The bytes of an idle BoringSSL engine outside the heap, rounded up (decision proxy-0043). */
  static final int CONNECTION_BYTES = 12 << 10;

  private static final AtomicLong HELD = new AtomicLong();

  private TlsMemory() {}

  public static long bytes() {
    return HELD.get();
  }

  static int bytesOf(SSLEngine engine) {
    return engine instanceof ReferenceCounted ? CONNECTION_BYTES : 0;
  }

  static void add(int bytes) {
    HELD.addAndGet(bytes);
  }
}
