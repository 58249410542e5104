package io.outrigger.program.testing.mesh;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.StartFailure;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A whole sidecar in this process with one forward, and channels of an app that dials it. */
public final class Sidecar implements AutoCloseable {
  private static final String FORWARD = "it";
  private static final long PATIENCE_SECONDS = 60;

  private final ProxyApp app;

  private Sidecar(ProxyApp app) {
    this.app = app;
  }

  /** Starts a sidecar for {@code xds:///target}. */
  public static Sidecar start(String bootstrap, String target) {
    try {
      return new Sidecar(
          ProxyApp.start(
              OptionsReader.read(
                  Map.of(
                      Flag.FORWARD,
                      List.of(FORWARD + "@127.0.0.1:0=xds:///" + target),
                      Flag.ADMIN,
                      List.of("off")),
                  Map.of("GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap),
                  Machine.current())));
    } catch (InvalidInput | StartFailure e) {
      throw new AssertionError(e);
    }
  }

  /** A channel of an app that knows nothing of xDS; the caller closes it. */
  public ManagedChannel channel() {
    int port = ((ListenAddress.Tcp) app.listenAddress(FORWARD)).port();
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  /** Closes {@code channel} and waits until its connections are gone. */
  public static void shut(ManagedChannel channel) {
    try {
      if (!channel.shutdownNow().awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the channel does not close: " + channel);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    app.close();
  }
}
