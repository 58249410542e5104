package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.PendingData;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limits what one unary call allocates in this package, on streams that allocate nothing. */
class CallAllocationTest {
  private static final int CALLS = 2_000;
  private static final FailureNote LEAF = new FailureNote("leaf", "");

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final CallScript script = new CallScript();
  private final Silent backend = new Silent();
  private final HeaderList request =
      HeaderList.builder(7)
          .add(KnownName.METHOD, "POST")
          .add(KnownName.SCHEME, "http")
          .add(KnownName.PATH, "/pkg.Svc/Call")
          .add(KnownName.AUTHORITY, "app.local")
          .add(KnownName.CONTENT_TYPE, "application/grpc")
          .add(KnownName.TE, "trailers")
          .buildRecurring();
  private final HeaderList head =
      HeaderList.builder(2)
          .add(KnownName.STATUS, "200")
          .add(KnownName.CONTENT_TYPE, "application/grpc")
          .buildRecurring();
  private final HeaderList trailers =
      HeaderList.builder(1).add(KnownName.GRPC_STATUS, "0").buildRecurring();

  @Test
  void aUnaryCallAllocatesLittle() throws InterruptedException {
    script.forward = // without the script's observer, which copies each call
        new Forward(
            "orders",
            DefaultSettings.forward(CallScript.NODE),
            TargetResolver.fixed(script.target),
            call -> {},
            CallTracer.NONE,
            script.memory.gauge,
            1);
    script.routed(OneRoute.limit(Duration.ofSeconds(15)));
    script.publishes(Connectivity.READY, call -> backend.use);
    var bytes = new AtomicLong();
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates, too
    try {
      var loop = new FastThreadLocalThread(() -> bytes.set(measure()));
      loop.start();
      loop.join();
    } finally {
      ResourceLeakDetector.setLevel(level);
    }

    assertThat(bytes.get()).as("now 888").isBetween(1L, 920L);
  }

  /** The bytes that one call allocates, including two streams of this test. */
  private long measure() {
    // The program's buffers are not pooled either.
    ByteBuf message = UnpooledByteBufAllocator.DEFAULT.directBuffer();
    calls(message); // fills pools and caches
    long before = THREADS.getCurrentThreadAllocatedBytes();
    calls(message);
    long after = THREADS.getCurrentThreadAllocatedBytes();
    message.release();
    return (after - before) / CALLS;
  }

  private void calls(ByteBuf message) {
    for (int i = 0; i < CALLS; i++) {
      call(message);
    }
  }

  private void call(ByteBuf message) {
    message.setIndex(0, 100);
    var stream = new Stream();
    var call = new ForwardedCall(script.forward, script.forward.app(), script.loop, stream);
    call.onHeaders(request, false);
    call.onData(message.retainedSlice(), true);
    StreamHandler response = backend.handler();
    response.onDataSent(100);
    response.onHeaders(head, false);
    response.onData(message.retainedSlice(), false);
    response.onHeaders(trailers, true);
  }

  private static final class Stream implements Http2Stream {
    private boolean ended;

    @Override
    public long maxHeaderListBytes() {
      return Long.MAX_VALUE;
    }

    @Override
    public void sendHeaders(HeaderList headers, boolean endStream) {
      ended = endStream;
    }

    @Override
    public void sendData(ByteBuf data, boolean endStream) {
      ended = endStream;
      data.release();
    }

    @Override
    public void dropPending() {}

    @Override
    public void reset(Http2Error error) {}

    @Override
    public void consumed(int bytes) {}

    @Override
    public PendingData takeUnsent() {
      return new PendingData();
    }

    @Override
    public int pendingBytes() {
      return 0;
    }

    @Override
    public boolean hasSentEnd() {
      return ended;
    }
  }

  private static final class Silent implements Subchannel, CallTransport {
    private final EndpointAddress address = new EndpointAddress("10.0.0.1", 80);
    private final Backend backend =
        new Backend(
            new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, ""),
            new Locality("", "", ""),
            0);
    final PickResult use = new PickResult.Use(this);
    private @Nullable StreamHandler handler;

    StreamHandler handler() {
      return Objects.requireNonNull(handler);
    }

    @Override
    public boolean open(int loop, CallTransport.Waiter waiter) {
      handler = waiter;
      waiter.onOpened(new Stream());
      return true;
    }

    @Override
    public void forget(int loop, CallTransport.Waiter waiter) {}

    @Override
    public FailureNote note() {
      return LEAF;
    }

    @Override
    public Backend backend() {
      return backend;
    }

    @Override
    public EndpointAddress address() {
      return address;
    }

    @Override
    public void requestConnection() {}

    @Override
    public void close() {}

    @Override
    public @Nullable Transport transport() {
      return this;
    }

    @Override
    public BackendMetricsStream openBackendMetrics(
        Duration interval, BackendMetricsStream.Listener listener) {
      throw new AssertionError("calls do not ask for reports");
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {}
  }
}
