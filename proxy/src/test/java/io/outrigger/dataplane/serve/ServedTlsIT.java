package io.outrigger.dataplane.serve;

import static io.outrigger.dataplane.serve.ServedPort.chain;
import static io.outrigger.dataplane.serve.ServedPort.everything;
import static io.outrigger.dataplane.serve.ServedPort.mutual;
import static io.outrigger.dataplane.serve.ServedPort.oneSided;
import static io.outrigger.dataplane.serve.ServedPort.path;
import static io.outrigger.dataplane.serve.ServedPort.principal;
import static io.outrigger.dataplane.serve.ServedPort.rbac;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.TestServiceGrpc;
import io.grpc.testing.integration.TestServiceImpl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.base.CidrRange;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.config.tls.SanMatcher;
import io.outrigger.dataplane.tls.TlsMemory;
import io.outrigger.identity.tls.TlsLibrary;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A served port with TLS between clients and an app of grpc-java, with both TLS libraries. */
@Timeout(180)
@ParameterizedClass(name = "{0}")
@EnumSource
class ServedTlsIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("mesh root");
  private static final TestAuthority OTHER = TestAuthority.named("other root");
  private static final TestIdentity PAY =
      AUTHORITY.issue("uri:spiffe://mesh/pay", "dns:pay.example");
  private static final TestIdentity SHOP = AUTHORITY.issue("uri:spiffe://mesh/shop", "dns:shop");
  private static final Metadata.Key<String> XFCC =
      Metadata.Key.of("x-forwarded-client-cert", Metadata.ASCII_STRING_MARSHALLER);

  /** A second by the contract; the machine of a test may be busy. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final String EMPTY_CALL = "/grpc.testing.TestService/EmptyCall";

  private final TlsLibrary library;
  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
  private final ConcurrentLinkedQueue<Metadata> atApp = new ConcurrentLinkedQueue<>();

  @TempDir private Path folder;
  @TempDir private Path second;
  private Server app;

  ServedTlsIT(TlsLibrary library) {
    this.library = library;
  }

  @BeforeEach
  void start() throws IOException {
    System.setProperty(TlsLibrary.PROPERTY, library.name().toLowerCase(Locale.ROOT));
    app =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new TestServiceImpl(timer))
            .intercept(
                new ServerInterceptor() {
                  @Override
                  public <Q, R> ServerCall.Listener<Q> interceptCall(
                      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
                    atApp.add(headers);
                    return next.startCall(call, headers);
                  }
                })
            .build()
            .start();
    ServedPort.write(folder, PAY, AUTHORITY.rootPem());
  }

  @AfterEach
  void close() throws Exception {
    System.clearProperty(TlsLibrary.PROPERTY);
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
    app.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    timer.shutdownNow();
  }

  private ServedPort open() {
    return keep(new ServedPort(2, app.getPort()));
  }

  private ServedPort keep(ServedPort port) {
    toClose.add(port);
    port.provide(folder, second);
    return port;
  }

  private ServedPort serving(HttpFilter... filters) throws Exception {
    return ready(open().serving(chain("tls", mutual(), everything(), filters)));
  }

  /** Waits until the certificates have been read. */
  private static ServedPort ready(ServedPort port) {
    Await.until("nothing is lacking", () -> port.on(port.listener::problem).isEmpty());
    return port;
  }

  private ManagedChannel channel(ServedPort port, Optional<TestIdentity> caller) throws Exception {
    return channel("127.0.0.1", port, caller, AUTHORITY);
  }

  private ManagedChannel channel(
      String host, ServedPort port, Optional<TestIdentity> caller, TestAuthority trusted)
      throws Exception {
    SslContextBuilder context =
        GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
            .trustManager(trusted.root());
    caller.ifPresent(shown -> context.keyManager(shown.key(), shown.chain()));
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(host, port.port)
            .sslContext(context.build())
            .overrideAuthority("pay.example")
            .build();
    toClose.add(channel::shutdownNow);
    return channel;
  }

  private static void call(ManagedChannel channel) {
    var unused =
        TestServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .emptyCall(Empty.getDefaultInstance());
  }

  private static void assertFails(ManagedChannel channel, Status.Code code) {
    assertThatThrownBy(() -> call(channel))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failed -> assertThat(failed.getStatus().getCode()).isEqualTo(code));
  }

  @Test
  @Conformance({"A41-01", "A29S-04", "A29S-08"})
  void theNameInTheCertificateDecides() throws Exception {
    ServedPort port =
        serving(rbac(Rbac.Action.ALLOW, path(EMPTY_CALL), principal("spiffe://mesh/shop")));

    call(channel(port, Optional.of(SHOP)));
    assertFails(
        channel(port, Optional.of(AUTHORITY.issue("uri:spiffe://mesh/thief", "dns:shop"))),
        Status.Code.PERMISSION_DENIED);
    assertThat(atApp).hasSize(1);
    assertThat(port.handshakes).containsOnly(HandshakeResult.SUCCESS);
  }

  @Test
  @Conformance({"A29S-04", "A29S-05"})
  void aClientThatIsNotTrustedGetsNoByteOfHttp() throws Exception {
    ServedPort port = serving();

    assertFails(channel(port, Optional.empty()), Status.Code.UNAVAILABLE);
    assertFails(channel(port, Optional.of(OTHER.issue("dns:shop"))), Status.Code.UNAVAILABLE);
    assertFails(
        channel(port, Optional.of(AUTHORITY.issueExpired("dns:shop"))), Status.Code.UNAVAILABLE);
    assertFails(
        channel(port, Optional.of(AUTHORITY.issueForTomorrow("dns:shop"))),
        Status.Code.UNAVAILABLE);

    assertThat(atApp).isEmpty();
    Await.until( // a client has the alert before the server has counted it
        "the reasons are counted",
        () ->
            port.handshakes.contains(HandshakeResult.CERTIFICATE_AUTHORITY_INVALID)
                && port.handshakes.contains(HandshakeResult.CERTIFICATE_EXPIRED));
    assertThat(port.handshakes).doesNotContain(HandshakeResult.SUCCESS);
    assertThat(port.loops.peerErrors().takeLast().orElseThrow()).contains("refused");
  }

  @Test
  @Conformance("A29S-08")
  void aClientWithoutHttp2IsRefused() throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));

    for (List<String> offered : List.of(List.<String>of(), List.of("http/1.1"))) {
      try (SSLSocket socket = tls(port, offered)) {
        assertThatThrownBy(socket::startHandshake).hasMessageContaining("no_application_protocol");
      }
      assertThat(port.handshakes.poll(30, TimeUnit.SECONDS))
          .isEqualTo(HandshakeResult.NO_APPLICATION_PROTOCOL);
    }
    assertThat(port.loops.peerErrors().takeLast().orElseThrow())
        .contains("the client offers no HTTP/2 by ALPN");
    try (SSLSocket socket = tls(port, List.of("istio", "h2", "http/1.1"))) {
      socket.startHandshake();
      assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
      hello(socket);
    }
  }

  /** RFC 7301 section 3.2; BoringSSL itself would complete the handshake. */
  @ParameterizedTest(name = "{0}, in records of {1} bytes: {2}")
  @CsvSource({
    "h2, 1, 16", // a record of the handshake
    "h2, 100, 16",
    "h2, 9999, 16",
    "istio h2, 100, 16",
    "http/1.1, 1, 15030300020278",
    "http/1.1, 100, 15030300020278",
    "http/1.1, 9999, 15030300020278",
    "H2 h2c h, 9999, 15030300020278",
    "none, 9999, 15030300020278",
    "malformed, 9999, 1503", // an alert of the library
  })
  @Conformance("A29S-08")
  void aClientHelloIsReadHoweverItIsCut(String offered, int cut, String answer) throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));
    byte[] hello = clientHello(offered);

    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port.port)) {
      socket.setSoTimeout(30_000);
      socket.setTcpNoDelay(true);
      for (int at = 0; at < hello.length; at += cut) {
        int length = Math.min(cut, hello.length - at);
        socket.getOutputStream().write(new byte[] {22, 3, 1, (byte) (length >> 8), (byte) length});
        socket.getOutputStream().write(hello, at, length);
      }

      assertThat(HexFormat.of().formatHex(socket.getInputStream().readNBytes(answer.length() / 2)))
          .isEqualTo(answer);
    }
  }

  /** A ClientHello without the header of its record. */
  private static byte[] clientHello(String offered) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, null, null);
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    if (!offered.equals("none") && !offered.equals("malformed")) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setApplicationProtocols(offered.split(" "));
      engine.setSSLParameters(parameters);
    }
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), record);
    byte[] hello = Arrays.copyOfRange(record.array(), 5, record.position());
    if (offered.equals("malformed")) {
      hello[4 + 2 + 32] = (byte) 0xff; // the length of the session ID
    }
    return hello;
  }

  /** Begins HTTP/2 and reads a byte of the answer. */
  private static void hello(Socket socket) throws IOException {
    String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
    socket.getOutputStream().write(preface.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(socket.getInputStream().read()).isNotNegative();
  }

  private static byte[] readAll(Socket socket) {
    try {
      return socket.getInputStream().readAllBytes();
    } catch (IOException reset) {
      return new byte[0];
    }
  }

  private static SSLSocket tls(ServedPort port, List<String> protocols) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port.port);
    socket.setSoTimeout(30_000);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols.toArray(String[]::new));
    socket.setSSLParameters(parameters);
    return socket;
  }

  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Test
  @Conformance("OPS-08")
  void memoryOfTlsIsCountedWhileAConnectionIsOpen() throws Exception {
    ServedPort port = serving();
    long before = TlsMemory.bytes();
    ManagedChannel channel = channel(port, Optional.of(SHOP));

    call(channel);

    assertThat(TlsMemory.bytes() > before).isEqualTo(library == TlsLibrary.BORINGSSL);
    channel.shutdownNow();
    Await.until("it is given back", () -> TlsMemory.bytes() == before);
  }

  @Test
  @Conformance("A29S-12")
  void plainBytesGetNoAnswer() throws Exception {
    ServedPort port = serving();

    for (String sent :
        List.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "\0")) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port.port)) {
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(readAll(socket)).isEmpty();
      }
    }
    Await.until("the last is refused", () -> port.handshakes.size() == 3);
    assertThat(port.loops.peerErrors().takeLast().orElseThrow())
        .contains("TLS handshake failed: the client sent plain text");
  }

  @Test
  @Conformance("A29S-12")
  void aRenegotiationEndsTheConnectionAndIsTold() throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));

    try (SSLSocket socket = tls(port, List.of("h2"))) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.startHandshake();
      hello(socket);
      assertThatThrownBy(
              () -> {
                socket.startHandshake();
                socket.getInputStream().readAllBytes();
              })
          .isInstanceOf(IOException.class);
    }

    Await.until("it is counted", () -> port.loops.peerErrors().count() == 1);
    assertThat(port.loops.peerErrors().takeLast().orElseThrow())
        .startsWith("connection of caller 127.0.0.1:")
        .endsWith(" ended: the client asks for a TLS renegotiation");
  }

  /**
   * The client pays as little for a KeyUpdate as for a record without data, the server for new
   * keys. BoringSSL would allow any number as long as there is a record with data after each 32.
   */
  @Test
  @Conformance("A29S-12")
  void aFloodOfKeyUpdatesEndsTheConnectionAndIsTold() throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));

    try (SSLSocket socket = tls(port, List.of("h2"))) {
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
      hello(socket);
      for (int i = 0; i < 32; i++) {
        socket.startHandshake(); // a KeyUpdate
      }
      ping(socket);
      assertThat(port.loops.peerErrors().count()).isZero();
      socket.startHandshake();
      assertThatThrownBy(() -> ping(socket)).isInstanceOf(IOException.class);
    }

    Await.until("it is counted", () -> port.loops.peerErrors().count() == 1);
    assertThat(port.loops.peerErrors().takeLast().orElseThrow())
        .startsWith("connection of caller 127.0.0.1:")
        .endsWith(" ended: the client sends too many TLS records without data");
  }

  /** Sends a PING and reads until its answer. */
  private static void ping(SSLSocket socket) throws IOException {
    String payload = "12345678";
    String frame = "\0\0\10\6\0\0\0\0\0" + payload;
    socket.getOutputStream().write(frame.getBytes(StandardCharsets.ISO_8859_1));
    var read = new StringBuilder();
    while (!read.toString().endsWith(payload)) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new EOFException();
      }
      read.append((char) next);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"})
  @Conformance("A29S-12")
  void aClientWithoutACommonCipherGetsAnAlert(String cipher) throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));

    try (SSLSocket socket = tls(port, List.of("h2"))) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {cipher});
      assertThatThrownBy(socket::startHandshake).hasMessageContaining("handshake_failure");
    }

    Await.until("it is told", () -> port.loops.peerErrors().count() == 1);
  }

  /** The process exits as soon as no stream is left (CONTRACT section 2). */
  @Test
  @Conformance("OPS-04")
  void aHalfHandshakeDoesNotHoldUpADrain() throws Exception {
    ServedPort port = serving();
    call(channel(port, Optional.of(SHOP)));
    try (var half = new Socket(InetAddress.getLoopbackAddress(), port.port)) {
      Await.until("it is accepted", () -> port.on(port.listener::connections) == 2);

      port.on(port.listener::drain).get(60, TimeUnit.SECONDS);

      assertThat(port.handshakes)
          .as("ended by the drain, not by its time limit of ten seconds")
          .contains(HandshakeResult.UNKNOWN_FAILURE)
          .doesNotContain(HandshakeResult.HANDSHAKE_TIMEOUT);
      assertThat(readAll(half)).isEmpty();
    }
  }

  @Test
  @Conformance("A29S-12")
  void aFloodOfHalfHandshakesEndsItself() throws Exception {
    ServedPort port = serving();
    byte[] half = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00};
    List<Socket> flood = new ArrayList<>();
    try {
      for (int i = 0; i < 600; i++) {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port.port);
        socket.getOutputStream().write(half);
        flood.add(socket);
      }
      call(channel(port, Optional.of(SHOP)));
      flood.get(0).setSoTimeout(30_000);
      assertThat(readAll(flood.get(0))).isEmpty();
      flood.get(599).setSoTimeout(30_000);
      assertThat(readAll(flood.get(599))).isEmpty();
      assertThat(port.handshakes)
          .contains(HandshakeResult.HANDSHAKE_TIMEOUT, HandshakeResult.UNKNOWN_FAILURE);
    } finally {
      for (Socket socket : flood) {
        socket.close();
      }
    }
    Await.until("the sockets are gone", () -> port.on(port.listener::connections) <= 1);
  }

  @Test
  @Conformance({"FCM-07", "FCM-06"})
  void eachChainHasItsCertificateItsFiltersAndItsRoutes() throws Exception {
    TestIdentity twin = OTHER.issue("uri:spiffe://other/pay", "dns:pay.example");
    ServedPort.write(second, twin, AUTHORITY.rootPem());
    var other = "second";
    var tls = new DownstreamTls(other, Optional.of(other), true, List.of());
    ServedPort port = keep(new ServedPort(2, app.getPort(), "::", ServedPort.PLAIN));
    port.serving(
        to("127.0.0.1", chain("one", mutual(), everything())),
        to(
            "127.0.0.2",
            chain(
                "two",
                Optional.of(tls),
                everything(),
                rbac(Rbac.Action.DENY, Criterion.ALWAYS, Criterion.ALWAYS))));
    ready(port);

    call(channel("127.0.0.1", port, Optional.of(SHOP), AUTHORITY));
    assertFails(
        channel("127.0.0.2", port, Optional.of(SHOP), OTHER), Status.Code.PERMISSION_DENIED);
    assertFails(channel("127.0.0.2", port, Optional.of(SHOP), AUTHORITY), Status.Code.UNAVAILABLE);
    try (var socket = new Socket("127.0.0.3", port.port)) {
      socket.setSoTimeout(30_000);
      assertThat(readAll(socket)).isEmpty();
    }
  }

  private static ServerFilterChain to(String destination, ServerFilterChain chain) {
    var match =
        new FilterChainMatch(
            Set.of(CidrRange.of(destination, 32).orElseThrow()),
            "",
            FilterChainMatch.SourceType.ANY,
            Set.of(),
            Set.of(),
            FilterChainMatch.ANY.unmatched());
    return new ServerFilterChain(chain.name(), match, chain.tls(), chain.routes(), chain.filters());
  }

  @Test
  @Conformance("A29S-02")
  void withoutItsFilesThePortIsOpenAndServesAsSoonAsTheyAppear() throws Exception {
    for (String file : List.of("chain.pem", "key.pem", "roots.pem")) {
      Files.delete(folder.resolve(file));
    }
    ServedPort port = open().serving(chain("tls", mutual(), everything()));

    assertFails(channel(port, Optional.of(SHOP)), Status.Code.UNAVAILABLE);
    Await.until(
        "the files are missed",
        () -> port.on(port.listener::problem).orElse("").contains("does not exist"));

    ServedPort.write(folder, PAY, AUTHORITY.rootPem());
    call(channel(ready(port), Optional.of(SHOP)));
  }

  @Test
  @Conformance("A29S-10")
  void aHundredRotationsFailNoCall() throws Exception {
    ServedPort port = serving();
    var load = new Load(port, 200);
    try (load) {
      TestIdentity last = PAY;
      for (int i = 0; i < 100; i++) {
        last = AUTHORITY.issue("uri:spiffe://mesh/pay", "dns:pay.example");
        ServedPort.write(folder, last, AUTHORITY.rootPem());
        call(channel(port, Optional.of(SHOP)));
      }
      X509Certificate newest = last.certificate();
      assertThat(Await.within(SOON, () -> shows(port, newest)))
          .as("the newest certificate is shown")
          .isTrue();
    }
    load.assertNoneFailed();
  }

  private static boolean shows(ServedPort port, X509Certificate certificate) throws Exception {
    try (SSLSocket socket = tls(port, List.of("h2"))) {
      socket.startHandshake();
      return certificate.equals(socket.getSession().getPeerCertificates()[0]);
    } catch (IOException refused) { // it has no certificate
      return false;
    }
  }

  @Test
  @Conformance("A29S-10")
  void aPeerThatNewRootsNoLongerTrustIsDrained() throws Exception {
    ServedPort port = serving();
    var ended = new ConcurrentLinkedQueue<String>();
    ManagedChannel old = channel(port, Optional.of(SHOP));
    call(old);
    StreamObserver<io.grpc.testing.integration.Messages.StreamingOutputCallRequest> running =
        TestServiceGrpc.newStub(old)
            .fullDuplexCall(
                new StreamObserver<>() {
                  @Override
                  public void onNext(
                      io.grpc.testing.integration.Messages.StreamingOutputCallResponse value) {}

                  @Override
                  public void onError(Throwable t) {
                    ended.add("failed: " + t);
                  }

                  @Override
                  public void onCompleted() {
                    ended.add("completed");
                  }
                });
    Await.until("the call runs", () -> atApp.size() == 2);

    ServedPort.write(folder, PAY, OTHER.rootPem());

    Await.until("the caller is refused", () -> isRefused(old));
    running.onCompleted(); // on the old connection
    Await.until("the old call has ended", () -> ended.size() == 1);
    assertThat(ended).containsExactly("completed");
    Await.until("the connection is closed", () -> port.on(port.listener::connections) == 0);
  }

  private static boolean isRefused(ManagedChannel channel) {
    try {
      call(channel);
      return false;
    } catch (StatusRuntimeException refused) {
      return true;
    }
  }

  @Test
  @Conformance("A29S-10")
  void noSessionIsResumed() throws Exception {
    ServedPort port = ready(open().serving(chain("tls", oneSided(), everything())));

    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new TrustsAll()}, null);
      List<Long> creations = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        try (var socket =
            (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port.port)) {
          SSLParameters parameters = socket.getSSLParameters();
          parameters.setApplicationProtocols(new String[] {"h2"});
          parameters.setProtocols(new String[] {version});
          socket.setSSLParameters(parameters);
          socket.startHandshake();
          hello(socket); // the answer follows the ticket, if any
          creations.add(socket.getSession().getCreationTime());
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      assertThat(creations).as(version).doesNotHaveDuplicates();
    }
  }

  @Test
  @Conformance("OPS-03")
  void theAppIsToldOfThePeerWhereItIsAskedFor() throws Exception {
    ServedPort port =
        keep(
            new ServedPort(
                2,
                app.getPort(),
                new ServeSettings(Duration.ZERO, Duration.ofMinutes(1), false, true)));
    ready(port.serving(chain("tls", mutual(), everything())));
    var forged = new Metadata();
    forged.put(XFCC, "URI=spiffe://mesh/admin");

    var unused =
        TestServiceGrpc.newBlockingStub(channel(port, Optional.of(SHOP)))
            .withInterceptors(io.grpc.stub.MetadataUtils.newAttachHeadersInterceptor(forged))
            .emptyCall(Empty.getDefaultInstance());

    assertThat(atApp.remove().getAll(XFCC))
        .singleElement()
        .asString()
        .matches(
            "By=spiffe://mesh/pay;Hash=[0-9a-f]{64};Subject=\"CN=workload of mesh root\";"
                + "URI=spiffe://mesh/shop;DNS=shop");
  }

  @Test
  @Conformance("A36-19")
  void aHundredChangesOfTheListenerFailNoCall() throws Exception {
    ServedPort port =
        keep(
            new ServedPort(
                2,
                app.getPort(),
                new ServeSettings(Duration.ofMillis(100), Duration.ofMinutes(1), false, false)));
    ready(port.serving(chain("tls 0", mutual(), everything())));
    var load = new Load(port, 1000);
    try (load) {
      for (int i = 1; i <= 100; i++) {
        port.serve(chain("tls " + i, i % 2 == 0 ? mutual() : ofCallersLike(i), everything()));
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    load.assertNoneFailed();
    assertThat(port.handshakes.size()).isGreaterThan(20);
  }

  @Test
  @Conformance("A36-19")
  void aConnectionDuringAChangeToTlsWaitsForTheContext() throws Exception {
    ServedPort port = open().serving(chain("plain", Optional.empty(), everything()));
    SocketListener tls = port.listener(Optional.empty(), chain("tls", mutual(), everything()));

    try (var stranger = new Socket()) {
      stranger.setSoTimeout(1_000);
      port.run(
          () -> { // until the end of this task, the context is not known
            port.listener.serve(tls, ServedPort::inline);
            assertThatThrownBy(
                    () -> {
                      stranger.connect(
                          new InetSocketAddress(InetAddress.getLoopbackAddress(), port.port));
                      hello(stranger);
                    })
                .isInstanceOf(SocketTimeoutException.class);
          });
      stranger.setSoTimeout(30_000);
      assertThat(readAll(stranger)).isEmpty();
    }
    call(channel(port, Optional.of(SHOP)));
  }

  /** Settings that no chain has had before, so that their TLS context has to be built. */
  private static Optional<DownstreamTls> ofCallersLike(int number) {
    List<SanMatcher> names =
        List.of(
            SanMatcher.ofAnyKind(new StringMatcher.Prefix("spiffe://mesh/", false)),
            SanMatcher.ofAnyKind(new StringMatcher.Exact("caller-" + number, false)));
    return mutual().map(tls -> new DownstreamTls(tls.identity(), tls.roots(), true, names));
  }

  /**
   * Calls at a rate through a few channels. There are fewer calls at once than streams: calls that
   * grpc-java queues for a stream are created after the first GOAWAY, and fail with the second.
   */
  private final class Load implements AutoCloseable {
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger succeeded = new AtomicInteger();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final java.util.concurrent.Future<?> ticks;

    Load(ServedPort port, int perSecond) throws Exception {
      for (int i = 0; i < 4; i++) {
        channels.add(channel(port, Optional.of(SHOP)));
        call(channels.get(i));
      }
      ticks = timer.scheduleAtFixedRate(() -> send(perSecond / 100), 0, 10, TimeUnit.MILLISECONDS);
    }

    private void send(int calls) {
      int inFlight = sent.get() - succeeded.get() - failures.size();
      for (int i = 0; i < Math.min(calls, 100 - inFlight); i++) {
        ManagedChannel channel = channels.get(sent.getAndIncrement() % channels.size());
        TestServiceGrpc.newStub(channel)
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .emptyCall(
                Empty.getDefaultInstance(),
                new StreamObserver<>() {
                  @Override
                  public void onNext(Empty value) {}

                  @Override
                  public void onError(Throwable failure) {
                    failures.add(failure);
                  }

                  @Override
                  public void onCompleted() {
                    succeeded.incrementAndGet();
                  }
                });
      }
    }

    @Override
    public void close() {
      ticks.cancel(false);
      Await.until("all calls have ended", () -> succeeded.get() + failures.size() == sent.get());
    }

    private static String told(Throwable failure) {
      return failure + ", because of " + failure.getCause();
    }

    void assertNoneFailed() {
      assertThat(failures.stream().map(Load::told)).isEmpty();
      assertThat(succeeded.get()).isGreaterThan(100);
    }
  }
}
