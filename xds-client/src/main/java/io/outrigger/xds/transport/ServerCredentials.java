package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeCallCredentials;
import io.grpc.InsecureChannelCredentials;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.GoogleDefault;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Insecure;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.identity.google.DefaultTokens;
import io.outrigger.identity.token.JwtTokenFile;
import io.outrigger.identity.token.TokenSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The credentials of a bootstrap server as gRPC credentials (A27-02, A65, A97), kept up to date.
 */
@ControlConfined
final class ServerCredentials {
  private static final String GOOGLE = "google_default";

  /**
   * Reads files on a separate thread, because blocking the common pool would delay admin requests.
   */
  private static final Executor READING = new BackgroundThread("credentials");

  /**
   * The time between reading a token file again and the expiry of its token. A97 reads the file one
   * minute before the token counts as expired, and the token counts as expired 30 s early.
   */
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
            .reduce(CompositeCallCredentials::new); // A97: all credentials apply
    this.reload = reload;
  }

  /**
   * Reads the files that the server entry of the bootstrap names. Environment variables may name
   * other files, such as that of the system roots. May be called on any thread.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message names the server
   */
  static ServerCredentials of(ControlLoop loop, XdsServer server, Map<String, String> environment) {
    Stream<BearerCredentials> tokens =
        server.callCredentials().stream()
            .map(each -> new JwtTokenFile(READING, each.jwtTokenFile()))
            .map(file -> bearer(loop, "call_creds", file, JWT_AHEAD));
    if (server.credentials() instanceof Insecure) {
      return new ServerCredentials(InsecureChannelCredentials.create(), Optional.empty(), tokens);
    }
    ServerTls tls = tls(server, environment);
    var reload =
        new TlsReload(loop, READING, server.uri(), config(server).refreshInterval(), tls::reload);
    Stream<BearerCredentials> google =
        server.credentials() instanceof GoogleDefault
            ? Stream.of(
                bearer(loop, GOOGLE, new DefaultTokens(environment, tls::context), GOOGLE_AHEAD))
            : Stream.of();
    return new ServerCredentials(
        tls.credentials(), Optional.of(reload), Stream.concat(google, tokens));
  }

  /** Returns the certificates for a server that is reached over TLS. */
  private static ServerTls tls(XdsServer server, Map<String, String> environment) {
    boolean isGoogle = server.credentials() instanceof GoogleDefault;
    try {
      if (isGoogle) { // an account for tokens is needed too
        DefaultTokens.requireUsable(environment);
      }
      return ServerTls.of(config(server), environment);
    } catch (IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "xds server %s: %s credentials: %s"
              .formatted(server.uri(), isGoogle ? GOOGLE : "tls", unusable.getMessage()),
          unusable);
    }
  }

  /**
   * Returns the TLS settings; {@code google_default} trusts the system roots and presents no
   * certificate.
   */
  private static Tls config(XdsServer server) {
    if (server.credentials() instanceof Tls tls) {
      return tls;
    }
    return new Tls(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        CertificateFiles.DEFAULT_REFRESH_INTERVAL);
  }

  private static BearerCredentials bearer(
      ControlLoop loop, String name, TokenSource source, Duration ahead) {
    return new BearerCredentials(loop, name, source, ahead, RandomSource.SYSTEM);
  }

  /**
   * Reads the files once, without reading them again later.
   *
   * @throws IllegalArgumentException under the same conditions as {@link #of}
   */
  static ChannelCredentials channel(XdsServer server, Map<String, String> environment) {
    return server.credentials() instanceof Insecure
        ? InsecureChannelCredentials.create()
        : tls(server, environment).credentials();
  }

  ChannelCredentials channel() {
    return channel;
  }

  /** Returns the call credentials that each stream sends; empty when none are configured. */
  Optional<CallCredentials> calls() {
    return calls;
  }

  /** Starts to read the files again at their interval. */
  void start() {
    reload.ifPresent(TlsReload::start);
  }

  void close() {
    reload.ifPresent(TlsReload::close);
    tokens.forEach(BearerCredentials::close);
  }
}
