package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeCallCredentials;
import io.grpc.InsecureChannelCredentials;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Insecure;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** The credentials of a bootstrap in gRPC's terms (A27-02, A65, A97), kept up to date. */
@ControlConfined
final class ServerCredentials {
  /** Files are read where blocking harms nobody. */
  private static final Executor READING = ForkJoinPool.commonPool();

  private final ChannelCredentials channel;
  private final Optional<CallCredentials> calls;
  private final Optional<TlsReload> reload;

  private ServerCredentials(
      ChannelCredentials channel, Optional<CallCredentials> calls, Optional<TlsReload> reload) {
    this.channel = channel;
    this.calls = calls;
    this.reload = reload;
  }

  /**
   * Reads the certificate files that {@code server} names; on any thread.
   *
   * @throws IllegalArgumentException naming the server, if a file cannot be used
   */
  static ServerCredentials of(ControlLoop loop, XdsServer server) {
    Optional<CallCredentials> calls =
        server.callCredentials().stream()
            .<CallCredentials>map(
                each -> new JwtTokenFile(loop, READING, RandomSource.SYSTEM, each.jwtTokenFile()))
            .reduce(CompositeCallCredentials::new); // A97: all of them
    if (server.credentials() instanceof Insecure) {
      return new ServerCredentials(InsecureChannelCredentials.create(), calls, Optional.empty());
    }
    if (server.credentials() instanceof Tls tls) {
      TlsFiles files = read(server, tls);
      Optional<TlsReload> reload =
          files.hasFiles()
              ? Optional.of(
                  new TlsReload(loop, READING, server.uri(), tls.refreshInterval(), files::reload))
              : Optional.empty();
      return new ServerCredentials(files.credentials(), calls, reload);
    }
    throw new AssertionError(server.credentials());
  }

  /**
   * Reads the certificate files once, and forgets them.
   *
   * @throws IllegalArgumentException as {@link #of}
   */
  static ChannelCredentials channel(XdsServer server) {
    return server.credentials() instanceof Tls tls
        ? read(server, tls).credentials()
        : InsecureChannelCredentials.create();
  }

  private static TlsFiles read(XdsServer server, Tls tls) {
    try {
      return TlsFiles.read(tls);
    } catch (IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "xds server %s: tls credentials: %s".formatted(server.uri(), unusable.getMessage()),
          unusable);
    }
  }

  ChannelCredentials channel() {
    return channel;
  }

  /** Sent with each stream; empty when there are none. */
  Optional<CallCredentials> calls() {
    return calls;
  }

  /** From now on files are read again at their interval. */
  void start() {
    reload.ifPresent(TlsReload::start);
  }

  void close() {
    reload.ifPresent(TlsReload::close);
  }
}
