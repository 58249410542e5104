package io.outrigger.xds.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.jspecify.annotations.Nullable;

/** Istio's certificate service over TLS on a port of loopback; the test scripts its answers. */
public final class IstioCaServer implements AutoCloseable {
  private static final Metadata.Key<String> AUTHORIZATION = key("authorization");
  private static final Metadata.Key<String> CLUSTER_ID = key("clusterid");
  private static final Context.Key<Metadata> HEADERS = Context.key("headers");

  /** One request that the server has got. */
  public record Request(
      @Nullable String authorization,
      @Nullable String clusterId,
      String csr,
      long validitySeconds,
      String metadata) {}

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Function<Request, byte[]> script = request -> new byte[0];
  private TestIdentity identity;
  private @Nullable Server server;
  private int port;

  /** A server that shows {@code identity} to its clients. */
  public IstioCaServer(TestIdentity identity) {
    this.identity = identity;
    revive();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** The address for the bootstrap. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** All requests so far. */
  public List<Request> requests() {
    return requests;
  }

  /** Answers each further request with the bytes of a message. */
  public IstioCaServer answering(Function<Request, byte[]> next) {
    script = next;
    return this;
  }

  /** Signs each further request for {@code names}, valid for {@code life} from now on. */
  public IstioCaServer signing(TestAuthority authority, Duration life, String... names) {
    return answering(
        request ->
            response(
                chain(authority, request.csr(), Instant.now(), life, names)
                    .toArray(String[]::new)));
  }

  /** Refuses each further request. */
  public IstioCaServer refusing(Status status) {
    return answering(
        request -> {
          throw status.asRuntimeException();
        });
  }

  /** Stops; the port stays the server's own for {@link #revive}. */
  public void kill() {
    if (server != null) {
      server.shutdownNow();
      try {
        server.awaitTermination(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      server = null;
    }
  }

  /** Starts again, on the port as before. */
  public void revive() {
    try {
      server =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .sslContext(
                  GrpcSslContexts.configure(
                          SslContextBuilder.forServer(identity.key(), identity.chain()),
                          SslProvider.JDK)
                      .build())
              .addService(ServerInterceptors.intercept(service(), new KeepHeaders()))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    port = server.getPort();
  }

  /** Starts again with another certificate of its own. */
  public void revive(TestIdentity next) {
    identity = next;
    revive();
  }

  @Override
  public void close() {
    kill();
  }

  private ServerServiceDefinition service() {
    MethodDescriptor<byte[], byte[]> create =
        MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("istio.v1.auth.IstioCertificateService/CreateCertificate")
            .build();
    return ServerServiceDefinition.builder("istio.v1.auth.IstioCertificateService")
        .addMethod(create, ServerCalls.asyncUnaryCall(this::onRequest))
        .build();
  }

  private void onRequest(byte[] message, StreamObserver<byte[]> call) {
    try {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(message);
      Metadata headers = HEADERS.get();
      var request =
          new Request(
              headers.get(AUTHORIZATION),
              headers.get(CLUSTER_ID),
              fields.getField(1).getLengthDelimitedList().get(0).toStringUtf8(),
              fields.getField(3).getVarintList().get(0),
              fields.getField(4).getLengthDelimitedList().stream()
                  .map(ByteString::toStringUtf8)
                  .findFirst()
                  .orElse(""));
      requests.add(request);
      call.onNext(script.apply(request));
      call.onCompleted();
    } catch (IOException | RuntimeException e) {
      call.onError(e instanceof IOException ? Status.INTERNAL.withCause(e).asException() : e);
    }
  }

  /** The message with these elements of {@code cert_chain}. */
  public static byte[] response(String... chain) {
    var field = UnknownFieldSet.Field.newBuilder();
    Stream.of(chain).map(ByteString::copyFromUtf8).forEach(field::addLengthDelimited);
    return UnknownFieldSet.newBuilder().addField(1, field.build()).build().toByteArray();
  }

  /** The chain that {@code authority} answers to the request, its root last, as istiod does. */
  public static List<String> chain(
      TestAuthority authority, String csr, Instant from, Duration life, String... names) {
    PublicKey key = publicKey(csr);
    UnaryOperator<CertificateBuilder> change =
        builder -> builder.publicKey(key).notBefore(from).notAfter(from.plus(life));
    return Stream.concat(
            authority.issue(change, names).chain().stream().map(TestIdentity::pem),
            Stream.of(authority.rootPem()))
        .toList();
  }

  /** The key of a request whose own signature is right. */
  public static PublicKey publicKey(String csr) {
    try (var parser = new PEMParser(new StringReader(csr))) {
      var request = (PKCS10CertificationRequest) parser.readObject();
      if (!request.isSignatureValid(
          new JcaContentVerifierProviderBuilder()
              .setProvider(new BouncyCastleProvider())
              .build(request.getSubjectPublicKeyInfo()))) {
        throw new IllegalArgumentException("the request is not signed by its own key");
      }
      return KeyFactory.getInstance("EC")
          .generatePublic(new X509EncodedKeySpec(request.getSubjectPublicKeyInfo().getEncoded()));
    } catch (IOException | GeneralSecurityException | OperatorException | PKCSException e) {
      throw new IllegalArgumentException("not a signing request: " + csr, e);
    }
  }

  private static final class KeepHeaders implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      return Contexts.interceptCall(
          Context.current().withValue(HEADERS, headers), call, headers, next);
    }
  }
}
