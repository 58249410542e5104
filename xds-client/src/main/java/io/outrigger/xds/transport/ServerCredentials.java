package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeCallCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.GoogleDefault;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Insecure;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.xds.google.DefaultTokens;
import io.outrigger.xds.token.JwtTokenFile;
import io.outrigger.xds.token.TokenSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The credentials of a bootstrap in gRPC's terms (A27-02, A65, A97), kept up to date. */
@ControlConfined
final class ServerCredentials {
  private static final String GOOGLE = "google_default";

  /** Files are read where blocking harms nobody: the common pool answers operators. */
  private static final Executor READING = new BackgroundThread("credentials");

  /** How the certificates of {@code google_default} are read again: as those of {@code tls}. */
  private static final Duration REFRESH_INTERVAL = CertificateFiles.DEFAULT_REFRESH_INTERVAL;

  /** A97: a minute before it counts as ended, which is 30 s before its end. */
  private static final Duration JWT_AHEAD = Duration.ofSeconds(90);

  private static final Duration GOOGLE_AHEAD = Duration.ofMinutes(5);

  private final ChannelCredentials channel;
  private final Optional<CallCredentials> calls;
  private final Optional<TlsReload> reload;
  private final List<BearerCredentials> tokens;

  private ServerCredentials(
      ChannelCredentials channel, Optional<TlsReload> reload, Stream<BearerCredentials> tokens) {
    this.channel = channel;
    this.tokens = tokens.toList();
    this.calls =
        this.tokens.stream()
            .<CallCredentials>map(each -> each)
            .reduce(CompositeCallCredentials::new); // A97: all of them
    this.reload = reload;
  }

  /**
   * Reads the files that {@code server} names, or for it the environment; on any thread.
   *
   * @throws IllegalArgumentException naming the server, if a file cannot be used
   */
  static ServerCredentials of(ControlLoop loop, XdsServer server, Map<String, String> environment) {
    Stream<BearerCredentials> tokens =
        server.callCredentials().stream()
            .map(each -> new JwtTokenFile(READING, each.jwtTokenFile()))
            .map(file -> bearer(loop, "call_creds", file, JWT_AHEAD));
    if (server.credentials() instanceof Insecure) {
      return new ServerCredentials(InsecureChannelCredentials.create(), Optional.empty(), tokens);
    }
    if (server.credentials() instanceof Tls tls) {
      TlsFiles files = usable(server, "tls", () -> TlsFiles.read(tls));
      Optional<TlsReload> reload =
          files.hasFiles()
              ? Optional.of(
                  new TlsReload(loop, READING, server.uri(), tls.refreshInterval(), files::reload))
              : Optional.empty();
      return new ServerCredentials(files.credentials(), reload, tokens);
    }
    if (server.credentials() instanceof GoogleDefault) {
      SystemTrust trust = usable(server, GOOGLE, () -> googleDefault(environment));
      var google = new DefaultTokens(environment, trust::context);
      return new ServerCredentials(
          trusting(trust),
          Optional.of(new TlsReload(loop, READING, server.uri(), REFRESH_INTERVAL, trust::reload)),
          Stream.concat(Stream.of(bearer(loop, GOOGLE, google, GOOGLE_AHEAD)), tokens));
    }
    throw new AssertionError(server.credentials());
  }

  private static BearerCredentials bearer(
      ControlLoop loop, String name, TokenSource source, Duration ahead) {
    return new BearerCredentials(loop, name, source, ahead, RandomSource.SYSTEM);
  }

  /**
   * Reads the files once, and forgets them.
   *
   * @throws IllegalArgumentException as {@link #of}
   */
  static ChannelCredentials channel(XdsServer server, Map<String, String> environment) {
    if (server.credentials() instanceof Tls tls) {
      return usable(server, "tls", () -> TlsFiles.read(tls)).credentials();
    }
    return server.credentials() instanceof GoogleDefault
        ? trusting(usable(server, GOOGLE, () -> googleDefault(environment)))
        : InsecureChannelCredentials.create();
  }

  /** Both halves: whom to trust, and that there is an account to ask for tokens. */
  private static SystemTrust googleDefault(Map<String, String> environment) {
    DefaultTokens.requireUsable(environment);
    return SystemTrust.read(environment);
  }

  private static ChannelCredentials trusting(SystemTrust trust) {
    return TlsChannelCredentials.newBuilder().trustManager(trust.manager()).build();
  }

  private static <T> T usable(XdsServer server, String type, Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "xds server %s: %s credentials: %s".formatted(server.uri(), type, unusable.getMessage()),
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
    tokens.forEach(BearerCredentials::close);
  }
}
