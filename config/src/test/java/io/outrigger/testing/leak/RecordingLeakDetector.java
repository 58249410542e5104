package io.outrigger.testing.leak;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * Netty's leak detector, except that it hands what it finds to {@link Leaks} rather than to a log.
 * Netty creates one for each kind of resource.
 */
@AnyThread
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
  /** Called by Netty, by reflection. */
  public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
    Leaks.INSTANCE.watch(this);
  }

  /** Called by Netty, which looks for both constructors and logs an error when one is missing. */
  @SuppressWarnings("deprecation") // Netty still asks for this form
  public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long maxActive) {
    super(resourceType, samplingInterval, maxActive);
    Leaks.INSTANCE.watch(this);
  }

  /**
   * Makes Netty look at its queue of collected resources, which it does only when one is tracked.
   */
  void inspect(T probe) {
    ResourceLeakTracker<T> tracker = super.track(probe);
    if (tracker != null) {
      tracker.close(probe);
    }
  }

  @Override
  public @Nullable ResourceLeakTracker<T> track(T resource) {
    Leaks.INSTANCE.onTracked();
    return super.track(resource);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    if (isLostByGrpc(records)) {
      return;
    }
    Leaks.INSTANCE.add(resourceType + " was not released before it was collected" + records);
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    Leaks.INSTANCE.add(resourceType + " was not released before it was collected; no records");
  }

  /**
   * Whether it is the message of a unary call that grpc-java's client has framed and never flushed:
   * a server that answers before it has the message closes the stream, and the end of the request,
   * which flushes, is then left out. None of its callers can release that buffer.
   */
  static boolean isLostByGrpc(String records) {
    return records.contains("io.grpc.internal.MessageFramer.writeRaw")
        && records.contains("io.grpc.stub.ClientCalls.asyncUnaryRequestCall");
  }
}
