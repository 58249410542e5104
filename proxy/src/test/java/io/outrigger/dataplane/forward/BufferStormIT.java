package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.TestServiceGrpc;
import io.grpc.testing.integration.TestServiceImpl;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Calls of gRPC clients while buffers run out repeatedly, although these calls did not exhaust the
 * buffers. A short shortage fails no call, a long shortage fails all calls, and nothing remains of
 * the shortage afterwards.
 */
@ParameterizedClass(name = "{1} loops of {0}")
@CsvSource({"AUTO, 1", "NIO, 2"})
@Timeout(180)
class BufferStormIT {
  private static final int APPS = 4;
  private static final int CALLS_OF_APP = 8;
  private static final int MOST_BYTES = 100_000;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final ScarceBuffers buffers = new ScarceBuffers();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final ExecutorService callers = Executors.newFixedThreadPool(APPS * CALLS_OF_APP);
  private final List<ManagedChannel> apps = new ArrayList<>();
  private final EventLoops loops;
  private Server server;
  private MiniMesh mesh;
  private volatile boolean isOver;

  /** The number of calls with each result. */
  private final Map<String, Integer> outcomes = new ConcurrentSkipListMap<>();

  BufferStormIT(TransportKind transport, int count) {
    loops = EventLoops.start(transport, count, buffers);
  }

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(MiniMesh.loopback(0))
            .addService(new TestServiceImpl(timer))
            .build()
            .start();
    mesh = new MiniMesh(loops);
    mesh.leadTo(server.getPort());
    for (int i = 0; i < APPS; i++) {
      apps.add(NettyChannelBuilder.forAddress("127.0.0.1", mesh.port()).usePlaintext().build());
      assertThat(call(i, new SplittableRandom(i))).isEqualTo("OK");
    }
  }

  @AfterEach
  void close() {
    apps.forEach(ManagedChannel::shutdownNow);
    mesh.close();
    server.shutdownNow();
    callers.shutdownNow();
    timer.shutdownNow();
  }

  /** One call with messages of any size. */
  private String call(int app, SplittableRandom random) {
    int sent = random.nextInt(MOST_BYTES);
    int wanted = random.nextBoolean() ? random.nextInt(100) : random.nextInt(MOST_BYTES);
    var request =
        SimpleRequest.newBuilder()
            .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[sent])))
            .setResponseSize(wanted)
            .build();
    try {
      int came =
          TestServiceGrpc.newBlockingStub(apps.get(app))
              .withDeadlineAfter(DEADLINE.toSeconds(), TimeUnit.SECONDS)
              .unaryCall(request)
              .getPayload()
              .getBody()
              .size();
      return came == wanted ? "OK" : came + " bytes of " + wanted;
    } catch (StatusRuntimeException e) {
      return Status.fromThrowable(e).getCode() + ": " + e.getStatus().getDescription();
    }
  }

  private void callUntilOver(int app, long seed) {
    var random = new SplittableRandom(seed);
    while (!isOver) {
      outcomes.merge(call(app, random), 1, Integer::sum);
    }
  }

  /** Makes calls before and while {@code storm} runs, and waits until the last call has ended. */
  private void callDuring(Runnable storm) throws Exception {
    List<Future<?>> calling = new ArrayList<>();
    for (int i = 0; i < APPS * CALLS_OF_APP; i++) {
      int number = i;
      calling.add(callers.submit(() -> callUntilOver(number % APPS, number)));
    }
    Await.until("a call succeeds", () -> outcomes.containsKey("OK"));
    storm.run();
    isOver = true;
    buffers.plenty();
    for (Future<?> caller : calling) {
      caller.get();
    }
  }

  private void assertNothingIsLeft() {
    Await.until("no call is under way", () -> mesh.calls() == 0);
    mesh.leadTo(server.getPort()); // as above
    var random = new SplittableRandom(1);
    for (int i = 0; i < APPS; i++) {
      int app = i;
      Await.until("the app is connected again", () -> call(app, random).equals("OK"));
    }
    for (int i = 0; i < 10 * APPS; i++) {
      assertThat(call(i % APPS, random)).isEqualTo("OK");
    }
  }

  /** Allows buffers up to a size that changes every few milliseconds, until it was felt. */
  private void storm() {
    var random = new SplittableRandom(7);
    int[] sizes = {0, 0, 64, 300, 600, 5_000, 40_000, Integer.MAX_VALUE};
    long began = WaitingClock.nanoTime();
    while (WaitingClock.nanoTime() - began < Duration.ofSeconds(2).toNanos()
        || buffers.refused() <= 10) {
      buffers.most(sizes[random.nextInt(sizes.length)]);
      WaitingClock.sleep(Duration.ofMillis(random.nextInt(30)));
    }
  }

  @Test
  @Conformance("SC-38")
  void aLackThatPassesCostsNoCall() throws Exception {
    callDuring(this::storm);

    assertThat(outcomes).containsOnlyKeys("OK");
    assertNothingIsLeft();
  }

  /** The shortage lasts too long to wait, so each connection that meets the shortage is closed. */
  @Test
  @Conformance("SC-38")
  void aLackOfTheJvmEndsWhatItMeetsAndNothingHangs() throws Exception {
    callDuring(
        () -> {
          for (int i = 0; i < 20 || outcomes.size() < 2; i++) { // until a call has met one
            buffers.refuseNext();
            WaitingClock.sleep(Duration.ofMillis(100));
            if (i % 5 == 4) { // does not retry a backend to which no connection was established
              mesh.leadTo(server.getPort());
            }
          }
        });

    assertEnded();
  }

  @Test
  @Conformance("SC-38")
  void aLackThatLastsEndsCallsAndThenAllIsWell() throws Exception {
    callDuring(
        () -> {
          buffers.most(0);
          Await.until("calls end", () -> outcomes.size() > 1);
        });

    assertEnded();
  }

  private void assertEnded() {
    assertThat(outcomes).containsKey("OK").hasSizeGreaterThan(1);
    assertThat(outcomes.keySet())
        .allSatisfy(outcome -> assertThat(outcome).doesNotStartWith("DEADLINE_EXCEEDED"));
    assertNothingIsLeft();
  }
}
