package io.outrigger.program.demo;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.ClientCalls;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A plain gRPC client without xDS. */
@AnyThread
final class DemoClient implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 30;
  private static final String LOOPBACK = "127.0.0.1";

  private final ManagedChannel channel;

  /**
   * @param text contains the response; empty on failure
   */
  record Reply(Status status, String text) {
    /** Returns the response's last word, which names the backend; for a failed call, the status. */
    String backend() {
      return status.isOk() ? text.substring(text.lastIndexOf(' ') + 1) : status.toString();
    }
  }

  private DemoClient(ManagedChannel channel) {
    this.channel = channel;
  }

  static DemoClient ofForward(int port) {
    return new DemoClient(
        Grpc.newChannelBuilderForAddress(LOOPBACK, port, InsecureChannelCredentials.create())
            .build());
  }

  /**
   * Creates a client that calls the served address with TLS, like another program of the mesh.
   *
   * @param name identifies the client's certificate; empty for a client without a certificate
   */
  static DemoClient ofServed(DemoFiles files, Optional<String> name, int port) throws IOException {
    var tls = TlsChannelCredentials.newBuilder().trustManager(files.file(DemoFiles.ROOT).toFile());
    if (name.isPresent()) {
      tls.keyManager(files.file(name.get()).toFile(), files.file(name.get()).toFile());
    }
    return new DemoClient(
        Grpc.newChannelBuilderForAddress(LOOPBACK, port, tls.build())
            .overrideAuthority(DemoFiles.GREETER)
            .build());
  }

  Reply call() {
    try {
      String text =
          ClientCalls.blockingUnaryCall(
                  channel,
                  DemoBackend.HELLO,
                  CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS),
                  StringValue.of("demo"))
              .getValue();
      return new Reply(Status.OK, text);
    } catch (StatusRuntimeException e) {
      return new Reply(e.getStatus(), "");
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
