package io.outrigger.dataplane.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsHandshake;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.http2.FrameType;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a socket begins with, before its connection has it. */
@Timeout(120)
final class DialerIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");

  private final EventLoops loops = EventLoops.start(TransportKind.AUTO, 1);

  @AfterEach
  void stop() {
    loops.stop(Duration.ofSeconds(5));
  }

  private static final class Silent implements ConnectionHandler {
    @Override
    public void onReady() {}

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      throw new IllegalStateException("a backend opened a stream");
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {}
  }

  private static final class AnyHandshake implements TlsHandshake.Listener {
    @Override
    public void onHandshaken(TlsPeer peer) {}

    @Override
    public void onFailed(HandshakeResult result, String reason) {
      throw new IllegalStateException(result + ": " + reason);
    }
  }

  private Channel dial(EndpointAddress address, @Nullable TlsContext tls) {
    var dialer =
        new Dialer(
            loops,
            loops.loop(0),
            address,
            DefaultSettings.UPSTREAM,
            new KeepAliveTime(Optional.empty()),
            new UpstreamSockets(loops),
            new SubchannelName(new SubchannelName.TargetName("", "", ""), "", address));
    return dialer.dial(tls, made -> new Silent(), new AnyHandshake(), reason -> {});
  }

  private static ServerSocket listen() throws GeneralSecurityException, IOException {
    TestIdentity identity = AUTHORITY.issue("dns:orders.example");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "orders", identity.key(), new char[0], identity.chain().toArray(Certificate[]::new));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    var listener =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    SSLParameters parameters = listener.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    listener.setSSLParameters(parameters);
    return listener;
  }

  private static UpstreamTls settings() {
    return new UpstreamTls(
        Optional.empty(), new TrustSource.Provider("default"), List.of(), "", false, false);
  }

  private static EndpointAddress withTls(int port, UpstreamTls settings) {
    return new EndpointAddress(
        "127.0.0.1",
        port,
        Optional.empty(),
        Optional.of(new EndpointTls(settings, Optional.empty())));
  }

  /** CONTRACT section 10: no call goes over the wrong kind of connection. */
  @Test
  void anAddressWithTlsIsNeverDialledWithoutAContext() {
    assertThatThrownBy(() -> dial(withTls(1, settings()), null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no TLS context");
  }

  /** The handshake is the first to read the socket. */
  @Test
  @Conformance("SC-38")
  void aReadOverTlsWaitsForABufferToo() throws Exception {
    var buffers = new ScarceBuffers();
    UpstreamTls settings = settings();
    var roots = new Roots.Authorities(List.of(AUTHORITY.root()));
    try (ServerSocket listener = listen()) {
      Channel channel =
          dial(
              withTls(listener.getLocalPort(), settings),
              TlsContext.of(
                  new TlsMaterial(settings, Optional.empty(), roots), List.of(), Runnable::run));
      channel.config().setAllocator(buffers);
      try (Socket socket = listener.accept()) {
        RawHttp2 backend = RawHttp2.accept(socket);
        backend.send(Frames.ping(1));
        backend.await(frame -> frame.type() == FrameType.PING);

        buffers.most(0);
        backend.send(Frames.windowUpdate(0, 1)); // nothing to answer
        Await.until("it is tried again", () -> buffers.refused() > 6);
        assertThat(channel.isActive()).isTrue();
        buffers.most(Integer.MAX_VALUE);
        backend.send(Frames.ping(2));
        assertThat(backend.await(frame -> frame.type() == FrameType.PING)).isNotNull();
      }
    }
  }
}
