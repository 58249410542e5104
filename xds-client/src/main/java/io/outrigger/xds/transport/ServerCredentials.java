package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeCallCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.GoogleDefault;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Insecure;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.ControlPlaneCertificates;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.google.DefaultTokens;
import io.outrigger.identity.tls.EachConnectionContext;
import io.outrigger.identity.tls.HttpsContext;
import io.outrigger.identity.token.JwtTokenFile;
import io.outrigger.identity.token.TokenSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;

/** The credentials of a bootstrap server as gRPC credentials (A27-02, A65, A97). */
@ControlConfined
final class ServerCredentials {
  private static final String GOOGLE = "google_default";

  /** The thread that reads files; on the common pool, reading would delay admin requests. */
  private static final Executor READING = new BackgroundThread("credentials");

  /**
   * The time before the expiry of a token at which its file is read again. By A97, a token counts
   * as expired 30 s before its expiry; the file is read again one minute before that.
   */
  private static final Duration JWT_AHEAD = Duration.ofSeconds(90);

  private static final Duration GOOGLE_AHEAD = Duration.ofMinutes(5);

  private final ChannelCredentials channel;
  private final Optional<CallCredentials> calls;
  private final ControlLoop loop;
  private final XdsServer server;
  private final Optional<ControlPlaneCertificates> certificates;
  private final List<BearerCredentials> tokens;
  private Runnable unfollow = () -> {};
  private boolean closed;

  private ServerCredentials(
      ControlLoop loop,
      XdsServer server,
      Optional<ControlPlaneCertificates> certificates,
      Stream<BearerCredentials> tokens) {
    this.loop = loop;
    this.server = server;
    this.certificates = certificates;
    this.channel = channel(certificates);
    this.tokens = tokens.toList();
    this.calls =
        this.tokens.stream()
            .<CallCredentials>map(each -> each)
            .reduce(CompositeCallCredentials::new); // A97: all credentials apply
  }

  /**
   * Reads the files that the server entry or the environment variables name. May be called on any
   * thread.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message names the server
   */
  static ServerCredentials of(ControlLoop loop, XdsServer server, Map<String, String> environment) {
    Stream<BearerCredentials> tokens =
        server.callCredentials().stream()
            .map(each -> new JwtTokenFile(READING, each.jwtTokenFile()))
            .map(file -> bearer(loop, "call_creds", file, JWT_AHEAD));
    Optional<ControlPlaneCertificates> certificates = certificates(server, environment);
    if (server.credentials() instanceof GoogleDefault && certificates.isPresent()) {
      Function<UpstreamTls, TlsMaterial> trust = certificates.get()::material;
      var google = new DefaultTokens(environment, HttpsContext.of(trust));
      tokens = Stream.concat(Stream.of(bearer(loop, GOOGLE, google, GOOGLE_AHEAD)), tokens);
    }
    return new ServerCredentials(loop, server, certificates, tokens);
  }

  /** Returns the certificates for TLS; empty if the server is reached without TLS. */
  private static Optional<ControlPlaneCertificates> certificates(
      XdsServer server, Map<String, String> environment) {
    if (server.credentials() instanceof Insecure) {
      return Optional.empty();
    }
    // The type google_default trusts the system roots and presents no certificate.
    boolean isGoogle = server.credentials() instanceof GoogleDefault;
    CertificateFiles files =
        server.credentials() instanceof Tls tls ? tls.files() : CertificateFiles.NONE;
    try {
      if (isGoogle) { // google_default also needs an account for tokens
        DefaultTokens.requireUsable(environment);
      }
      return Optional.of(new ControlPlaneCertificates(files, SystemRoots.of(environment)));
    } catch (IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "xds server %s: %s credentials: %s"
              .formatted(server.uri(), isGoogle ? GOOGLE : "tls", unusable.getMessage()),
          unusable);
    }
  }

  private static ChannelCredentials channel(Optional<ControlPlaneCertificates> certificates) {
    return certificates
        .map(found -> new EachConnectionContext(found::material))
        .map(NettySslContextChannelCredentials::create)
        .orElseGet(InsecureChannelCredentials::create);
  }

  private static BearerCredentials bearer(
      ControlLoop loop, String name, TokenSource source, Duration ahead) {
    return new BearerCredentials(loop, name, source, ahead, RandomSource.SYSTEM);
  }

  /** Reads the files once; later changes of the files have no effect. */
  static ChannelCredentials channel(XdsServer server, Map<String, String> environment) {
    return channel(certificates(server, environment));
  }

  ChannelCredentials channel() {
    return channel;
  }

  Optional<CallCredentials> calls() {
    return calls;
  }

  void start() {
    if (!closed) {
      certificates.ifPresent(
          found -> unfollow = found.follow(loop, READING, "xds server " + server.uri()));
    }
  }

  void close() {
    closed = true;
    unfollow.run();
    tokens.forEach(BearerCredentials::close);
  }
}
