package io.outrigger.abuse;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.Frames;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Apps that use much and break no rule, with gRPC's own client: none of their calls may fail. */
final class HonestUse {
  private static final Metadata.Key<String> HEAD =
      Metadata.Key.of("x-head", Metadata.ASCII_STRING_MARSHALLER);

  private HonestUse() {}

  static void bigHeads(AttackRun run) {
    String value = "h".repeat(60_000);
    try (var app = new GrpcApp(run)) {
      for (int i = 0; i < 1_000; i++) {
        var own = new Metadata(); // a call changes it, on another thread
        own.put(HEAD, value);
        app.unary(own);
      }
      app.awaitAll();
    }
  }

  static void uploads(AttackRun run) {
    int bytes = run.scaled(2 << 20, 10 << 20);
    try (var app = new GrpcApp(run)) {
      for (int i = 0; i < 100; i++) {
        app.upload(bytes);
      }
      app.awaitAll();
    }
  }

  /** As many calls are answered as are cancelled, as many each as the machine lets through. */
  static void cancels(AttackRun run) {
    try (var app = new GrpcApp(run)) {
      long began = WaitingClock.nanoTime();
      int cancels = run.scaled(10_000, 50_000);
      run.lastsFor(Duration.ofMinutes(1));
      for (int i = 0; i < cancels && run.goesOn(); i++) {
        app.cancelled();
        app.unary(new Metadata());
        int open = i;
        run.await(() -> open - app.ended() < 500);
        long due = began + i * 200_000L; // 5,000 a second
        run.pause(Duration.ofNanos(Math.max(0, due - WaitingClock.nanoTime())));
      }
      app.awaitAll();
    }
  }

  static void idleConnections(AttackRun run) {
    int count = run.entrance() == Entrance.SERVE_TLS ? 2_000 : 9_900; // TLS takes memory
    List<Peer> apps = run.apps(Forward.SERVED, count);
    run.waitOut();
    long lost = apps.stream().filter(app -> !app.isOpen()).count();
    if (lost > 0 || apps.size() < count) {
      run.complain("%d of %d idle connections were lost".formatted(lost, apps.size()));
    }
    Peer late = apps.get(apps.size() - 1);
    late.send(AttackRun.request(late.nextId(), Frames.END_STREAM, ServingBackend.SMALL));
    if (!run.awaitSoon(() -> late.ended() == 1)) {
      run.complain("a call on an idle connection was not answered");
    }
  }

  static void slowReader(AttackRun run) {
    try (var app = new GrpcApp(run)) {
      for (int i = 0; i < 1_000; i++) {
        app.download(50);
      }
      app.awaitAll();
    }
  }

  /** A channel and what became of its calls. */
  private static final class GrpcApp implements AutoCloseable {
    private static final int MESSAGE_BYTES = 64 << 10;

    /** What a slow reader does with each message. */
    private static final long WORK_NANOS = 50_000;

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** How many calls ended with each status, as the client describes it. */
    private final Map<String, AtomicInteger> ends = new ConcurrentHashMap<>();

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();
    private final AttackRun run;
    private final ManagedChannel channel;

    GrpcApp(AttackRun run) {
      this.run = run;
      InetSocketAddress address = run.address(Forward.SERVED);
      var builder = NettyChannelBuilder.forAddress(address).overrideAuthority("serving");
      if (run.entrance() == Entrance.SERVE_TLS) {
        builder.sslContext(MeshTls.caller());
      } else {
        builder.usePlaintext();
      }
      channel =
          builder
              .withOption(ChannelOption.ALLOCATOR, Peers.BUFFERS)
              .disableRetry()
              .directExecutor()
              .maxInboundMessageSize(64 << 20)
              .build();
    }

    int ended() {
      return ended.get();
    }

    /** A call that must end well. */
    private ClientCall<byte[], byte[]> counted(String path) {
      begun.incrementAndGet();
      return call(path);
    }

    private ClientCall<byte[], byte[]> call(String path) {
      return channel.newCall(
          MethodDescriptor.<byte[], byte[]>newBuilder()
              .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(path.substring(1))
              .setRequestMarshaller(new Bytes())
              .setResponseMarshaller(new Bytes())
              .build(),
          CallOptions.DEFAULT);
    }

    void unary(Metadata metadata) {
      var call = counted(ServingBackend.SMALL);
      call.start(new Ends(), metadata);
      call.request(2);
      call.halfClose();
    }

    /** A call that nobody answers, and its cancellation. */
    void cancelled() {
      var call = call(ServingBackend.SMALL);
      call.start(new ClientCall.Listener<>() {}, new Metadata());
      call.cancel("no longer wanted", null);
    }

    void upload(int bytes) {
      var call = counted(ServingBackend.SLOW);
      call.start(
          new Ends() {
            private int left = bytes;

            @Override
            public void onReady() {
              while (left > 0 && call.isReady()) {
                call.sendMessage(new byte[MESSAGE_BYTES]);
                left -= MESSAGE_BYTES;
                if (left <= 0) {
                  call.halfClose();
                }
              }
            }
          },
          new Metadata());
      call.request(2);
    }

    /**
     * Of a response nothing is read for a second; and what then comes keeps the thread that reads
     * the socket, so that the sidecar has to hold what windows would let it send.
     */
    void download(int messages) {
      var call = counted(ServingBackend.BIG + messages * ServingBackend.MESSAGE_BYTES);
      call.start(
          new Ends() {
            @Override
            public void onMessage(byte[] message) {
              LockSupport.parkNanos(WORK_NANOS);
            }
          },
          new Metadata());
      call.halfClose();
      reader.schedule(() -> call.request(messages + 1), 1, TimeUnit.SECONDS);
    }

    void awaitAll() {
      long began = WaitingClock.nanoTime();
      while (ended.get() < begun.get() && WaitingClock.nanoTime() - began < PATIENCE.toNanos()) {
        WaitingClock.sleep(Duration.ofMillis(10));
      }
      AtomicInteger well = ends.getOrDefault(Status.Code.OK.name(), new AtomicInteger());
      if (well.get() != begun.get()) {
        run.complain(
            "%d calls: %s, while the sidecar says %s".formatted(begun.get(), ends, run.state()));
      }
    }

    @Override
    public void close() {
      channel.shutdownNow();
      reader.shutdownNow();
    }

    private class Ends extends ClientCall.Listener<byte[]> {
      @Override
      public void onClose(Status status, Metadata trailers) {
        String end = status.isOk() ? status.getCode().name() : status.toString();
        ends.computeIfAbsent(end, name -> new AtomicInteger()).incrementAndGet();
        ended.incrementAndGet();
      }
    }
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        stream.skip(Long.MAX_VALUE);
        return new byte[0];
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
