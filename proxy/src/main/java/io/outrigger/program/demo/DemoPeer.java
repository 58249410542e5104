package io.outrigger.program.demo;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.ClientCalls;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Another program of the mesh, which calls the served address with TLS. */
@AnyThread
final class DemoPeer implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 30;

  private final ManagedChannel channel;

  /**
   * @param name the name of the peer's certificate; empty for a peer without one
   */
  DemoPeer(DemoFiles files, Optional<String> name, int port) throws IOException {
    var tls = TlsChannelCredentials.newBuilder().trustManager(files.file(DemoFiles.ROOT).toFile());
    if (name.isPresent()) {
      tls.keyManager(files.file(name.get()).toFile(), files.file(name.get()).toFile());
    }
    channel =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, tls.build())
            .overrideAuthority(DemoFiles.GREETER)
            .build();
  }

  /** Makes one call and returns the response, or the code of the status on failure. */
  String call() {
    try {
      return ClientCalls.blockingUnaryCall(
              channel,
              DemoBackend.HELLO,
              CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS),
              StringValue.of("peer"))
          .getValue();
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().toString();
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
