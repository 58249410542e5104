package io.outrigger.xds.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.protobuf.ProtoUtils;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import io.outrigger.identity.certificate.CertificateCheck;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.IstioCaClient;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.certificate.UnusableFile;
import io.outrigger.identity.tls.EachConnectionContext;
import io.outrigger.identity.token.JwtTokenFile;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Istio's certificate service over gRPC. Each request has its own channel, because requests are
 * hours apart. Each request reads the token and the roots again.
 */
@AnyThread
public final class GrpcIstioCa implements IstioCaClient {
  private static final long TIMEOUT_SECONDS = 30; // a CA may wait for a signer of Kubernetes

  private static final String REMEDY =
      "is the CA running, and are ca_address and ca_root_file right?";

  /** A token that can be sent in a header. */
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

  /** A separate class, so that gRPC is loaded only when a request is sent. */
  private static final class Create {
    static final Metadata.Key<String> AUTHORIZATION = key("authorization");
    static final Metadata.Key<String> CLUSTER_ID = key("clusterid");

    /** The request and the response are encoded and decoded by field number. */
    static final MethodDescriptor<Empty, Empty> METHOD =
        MethodDescriptor.<Empty, Empty>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName("istio.v1.auth.IstioCertificateService/CreateCertificate")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .build();

    private static Metadata.Key<String> key(String name) {
      return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
  }

  /** The subject of a Kubernetes token: the namespace and the name of a service account. */
  private static final Pattern ACCOUNT =
      Pattern.compile("system:serviceaccount:([\\w.-]+):([\\w.-]+)");

  @Override
  public void sign(
      IstioCa ca,
      Function<Optional<String>, String> request,
      Instant now,
      Consumer<Outcome<List<String>>> onEnd) {
    Metadata headers = new Metadata();
    Optional<String> name;
    ManagedChannel channel;
    try {
      String token = token(ca, now);
      name = name(ca, token);
      headers.put(Create.AUTHORIZATION, "Bearer " + token);
      ca.clusterId().ifPresent(id -> headers.put(Create.CLUSTER_ID, id));
      Roots roots = Roots.Authorities.of(CredentialFile.read("ca_root_file", ca.rootFile()));
      channel = channel(ca, roots);
    } catch (UnusableFile unusable) {
      onEnd.accept(Outcome.failed(RpcStatus.unavailable(unusable.reason())));
      return;
    } catch (IllegalArgumentException | ProviderNotFoundException unusable) {
      onEnd.accept(failed(ca, String.valueOf(unusable.getMessage())));
      return;
    }
    ClientCall<Empty, Empty> call =
        channel.newCall(
            Create.METHOD,
            CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    call.start(new Answer(ca, channel, onEnd), headers);
    call.request(2); // gRPC reports a second message as an error
    call.sendMessage(message(ca, request.apply(name)));
    call.halfClose();
  }

  private static ManagedChannel channel(IstioCa ca, Roots roots) {
    var tls =
        new EachConnectionContext(settings -> new TlsMaterial(settings, Optional.empty(), roots));
    return Grpc.newChannelBuilder(ca.address(), NettySslContextChannelCredentials.create(tls))
        .build();
  }

  /** Rejects an expired JWT, because the CA would not report the expiry. */
  private static String token(IstioCa ca, Instant now) throws UnusableFile {
    CredentialFile file = CredentialFile.read("token_file", ca.tokenFile(), JwtTokenFile.MAX_BYTES);
    String token = file.text().strip();
    if (!TOKEN.matcher(token).matches()) {
      throw file.unusable("is empty, or no token: it has characters that no header may have");
    }
    Optional<Instant> end = JwtTokenFile.expiry(token).filter(expiry -> !expiry.isAfter(now));
    if (end.isPresent()) {
      throw file.unusable("has expired at " + end.get());
    }
    return token;
  }

  /**
   * Returns the SPIFFE ID of the token's service account; empty if the token names no account. Some
   * CAs compare this ID with the name in the certificate request (decision xds-0086).
   */
  private static Optional<String> name(IstioCa ca, String token) {
    return JwtTokenFile.subject(token)
        .map(ACCOUNT::matcher)
        .filter(Matcher::matches)
        .map(
            account ->
                "spiffe://%s/ns/%s/sa/%s"
                    .formatted(ca.trustDomain(), account.group(1), account.group(2)));
  }

  /** Returns the message {@code istio.v1.auth.IstioCertificateRequest}. */
  private static Empty message(IstioCa ca, String request) {
    var fields = UnknownFieldSet.newBuilder();
    fields.mergeField(1, field().addLengthDelimited(ByteString.copyFromUtf8(request)).build());
    fields.mergeField(3, field().addVarint(ca.validity().toSeconds()).build());
    ca.signer()
        .map(name -> Value.newBuilder().setStringValue(name).build())
        .map(name -> Struct.newBuilder().putFields("CertSigner", name).build())
        .ifPresent(
            struct ->
                fields.mergeField(4, field().addLengthDelimited(struct.toByteString()).build()));
    return Empty.newBuilder().setUnknownFields(fields.build()).build();
  }

  private static UnknownFieldSet.Field.Builder field() {
    return UnknownFieldSet.Field.newBuilder();
  }

  private static Outcome<List<String>> failed(IstioCa ca, String reason) {
    return Outcome.failed(RpcStatus.unavailable("the CA " + ca.address() + ": " + reason));
  }

  /**
   * Reports why a request would fail now. Blocks while files are read; opens no connection.
   *
   * @param errors a consumer of permanent errors, and of the error that all roots have expired
   * @param warnings a consumer of errors that another process may still correct, such as a missing
   *     file, and of warnings about roots in use
   */
  static void check(IstioCa ca, Instant now, Consumer<String> errors, Consumer<String> warnings) {
    CertificateCheck roots = CertificateCheck.ofRoots("ca_root_file", ca.rootFile(), now);
    roots.errors().forEach(errors);
    Stream.concat(roots.failure().stream(), roots.warnings().stream()).forEach(warnings);
    try {
      var unused = token(ca, now);
    } catch (UnusableFile unusable) {
      warnings.accept(unusable.reason());
    }
    try {
      var unused = channel(ca, new Roots.Authorities(List.of())).shutdownNow();
    } catch (IllegalArgumentException | ProviderNotFoundException unusable) {
      errors.accept(
          "ca_address: \"%s\" is not an address such as istiod.istio-system:15012"
              .formatted(ca.address()));
    }
  }

  private static final class Answer extends ClientCall.Listener<Empty> {
    private final IstioCa ca;
    private final ManagedChannel channel;
    private final Consumer<Outcome<List<String>>> onEnd;
    private @Nullable Empty message;

    Answer(IstioCa ca, ManagedChannel channel, Consumer<Outcome<List<String>>> onEnd) {
      this.ca = ca;
      this.channel = channel;
      this.onEnd = onEnd;
    }

    @Override
    public void onMessage(Empty answer) {
      message = answer;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      channel.shutdownNow();
      onEnd.accept(status.isOk() && message != null ? chain(message) : failed(ca, reason(status)));
    }

    /** Reads the field {@code cert_chain} of {@code IstioCertificateResponse}. */
    private static Outcome<List<String>> chain(Empty answer) {
      return Outcome.ok(
          answer.getUnknownFields().getField(1).getLengthDelimitedList().stream()
              .map(each -> each.toString(StandardCharsets.ISO_8859_1)) // PEM is ASCII
              .toList());
    }

    private static String reason(Status status) {
      return switch (status.getCode()) {
        case OK -> "its answer has no message";
        case DEADLINE_EXCEEDED -> "no answer within " + TIMEOUT_SECONDS + " s; " + REMEDY;
        case UNAVAILABLE -> StreamFailure.toRpcStatus(status) + "; " + REMEDY;
        case UNAUTHENTICATED, PERMISSION_DENIED ->
            StreamFailure.toRpcStatus(status)
                + "; the token's audience, its service account and cluster_id must be known to it";
        default -> StreamFailure.toRpcStatus(status).toString();
      };
    }
  }
}
