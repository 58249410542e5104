package io.outrigger.bench.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxyless gRPC client as a peer of sidecars: it dials a target of {@code xds:}, with the
 * bootstrap of its environment, and says {@code answered} on standard output after its first call
 * that succeeds. Then each line {@code calls COUNT AT-ONCE} on standard input makes it do calls,
 * and it says {@code done FAILED}. It ends with standard input.
 */
public final class ProxylessMain {
  private static final byte[] REQUEST = "x".repeat(95).getBytes(UTF_8);

  private final Channel channel;
  private final MethodDescriptor<byte[], byte[]> method;

  private ProxylessMain(Channel channel, String method) {
    this.channel = channel;
    this.method =
        MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setType(MethodType.UNARY)
            .setFullMethodName(method)
            .build();
  }

  /**
   * @param args the target; the method as {@code package.Service/Method}
   */
  public static void main(String[] args) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(args[0], InsecureChannelCredentials.create()).build();
    var client = new ProxylessMain(channel, args[1]);
    client.untilAnswered();
    System.out.println("answered");
    var commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ", -1);
      int failed = client.calls(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      System.out.println("done " + failed);
    }
    System.exit(0);
  }

  private void untilAnswered() {
    boolean answered = false;
    while (!answered) {
      try {
        ClientCalls.blockingUnaryCall(
            channel, method, CallOptions.DEFAULT.withWaitForReady(), REQUEST);
        answered = true;
      } catch (StatusRuntimeException e) {
        System.err.println(e.getMessage());
      }
    }
  }

  /** How many of the calls failed. */
  private int calls(int count, int atOnce) throws InterruptedException {
    var left = new AtomicInteger(count);
    var failed = new AtomicInteger();
    var done = new CountDownLatch(count);
    for (int i = 0; i < atOnce; i++) {
      next(left, failed, done);
    }
    done.await();
    return failed.get();
  }

  /** Starts a call, and another when it has ended. */
  private void next(AtomicInteger left, AtomicInteger failed, CountDownLatch done) {
    if (left.decrementAndGet() < 0) {
      return;
    }
    ClientCall<byte[], byte[]> call = channel.newCall(method, CallOptions.DEFAULT);
    ClientCalls.asyncUnaryCall(
        call,
        REQUEST,
        new StreamObserver<>() {
          @Override
          public void onNext(byte[] reply) {}

          @Override
          public void onError(Throwable error) {
            System.err.println(error.getMessage());
            failed.incrementAndGet();
            onCompleted();
          }

          @Override
          public void onCompleted() {
            done.countDown();
            next(left, failed, done);
          }
        });
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream message) {
      try {
        return message.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
