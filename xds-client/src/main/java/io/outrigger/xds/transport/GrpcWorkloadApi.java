package io.outrigger.xds.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.identity.certificate.WorkloadApi;
import io.outrigger.identity.certificate.WorkloadResponse;
import io.outrigger.identity.certificate.WorkloadResponse.Svid;
import io.outrigger.xds.transport.GrpcAdsTransport.KeepAlive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The SPIFFE Workload API over gRPC. Each call has its own channel, which is closed with the call,
 * so that each call opens a new connection.
 */
public record GrpcWorkloadApi(Optional<String> variable) implements WorkloadApi {
  static final int MAX_RESPONSE_BYTES = 4 << 20; // several hundred federated bundles

  /** A separate class, so that gRPC is loaded only when the API is called. */
  private static final class Fetch {
    static final Metadata.Key<String> HEADER =
        Metadata.Key.of("workload.spiffe.io", Metadata.ASCII_STRING_MARSHALLER);

    static final MethodDescriptor<Empty, WorkloadResponse> METHOD =
        MethodDescriptor.<Empty, WorkloadResponse>newBuilder()
            .setType(MethodType.SERVER_STREAMING)
            .setFullMethodName("SpiffeWorkloadAPI/FetchX509SVID")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(new Responses())
            .build();
  }

  @Override
  public Outcome<WorkloadEndpoint> ambient() {
    String name = WorkloadEndpoint.VARIABLE;
    if (variable.orElse("").isEmpty()) {
      return Outcome.failed(
          RpcStatus.unavailable(
              "the bootstrap has no endpoint of the Workload API, and %s is not set"
                  .formatted(name)));
    }
    return WorkloadEndpoint.parse(variable.get())
        .match(
            Outcome::ok,
            wrong ->
                Outcome.failed(
                    RpcStatus.unavailable(
                        "%s \"%s\" %s".formatted(name, variable.get(), wrong.message()))));
  }

  @Override
  public Call open(WorkloadEndpoint endpoint, Listener listener) {
    ManagedChannel channel;
    try {
      channel =
          Grpc.newChannelBuilder(endpoint.target(), InsecureChannelCredentials.create())
              .proxyDetector(address -> null)
              .keepAliveTime(KeepAlive.DEFAULT.time().toNanos(), TimeUnit.NANOSECONDS)
              .keepAliveTimeout(KeepAlive.DEFAULT.timeout().toNanos(), TimeUnit.NANOSECONDS)
              .maxInboundMessageSize(MAX_RESPONSE_BYTES)
              .build();
    } catch (IllegalArgumentException | ProviderNotFoundException unusable) {
      listener.onClosed(RpcStatus.unavailable(String.valueOf(unusable.getMessage())));
      return new NoCall();
    }
    ClientCall<Empty, WorkloadResponse> call = channel.newCall(Fetch.METHOD, CallOptions.DEFAULT);
    var headers = new Metadata();
    headers.put(Fetch.HEADER, "true");
    call.start(new Callbacks(channel, listener), headers);
    call.request(1);
    call.sendMessage(Empty.getDefaultInstance()); // the request has no fields
    call.halfClose();
    return new OpenCall(channel, call);
  }

  private record NoCall() implements Call {
    @Override
    public void request() {}

    @Override
    public void close() {}
  }

  private record OpenCall(ManagedChannel channel, ClientCall<Empty, WorkloadResponse> call)
      implements Call {
    @Override
    public void request() {
      call.request(1);
    }

    @Override
    public void close() {
      call.cancel("closed by the client", null);
      channel.shutdownNow();
    }
  }

  private static final class Callbacks extends ClientCall.Listener<WorkloadResponse> {
    private final ManagedChannel channel;
    private final Listener listener;

    Callbacks(ManagedChannel channel, Listener listener) {
      this.channel = channel;
      this.listener = listener;
    }

    @Override
    public void onMessage(WorkloadResponse response) {
      listener.onResponse(response);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      channel.shutdownNow();
      listener.onClosed(
          status.isOk()
              ? RpcStatus.unavailable("it has ended the stream")
              : StreamFailure.toRpcStatus(status));
    }
  }

  /** Reads the fields of {@code X509SVIDResponse} that this program uses. */
  static final class Responses implements MethodDescriptor.Marshaller<WorkloadResponse> {
    private static final int SVIDS = 1;
    private static final int FEDERATED_BUNDLES = 3;

    @Override
    public InputStream stream(WorkloadResponse value) {
      throw new UnsupportedOperationException("only received");
    }

    @Override
    public WorkloadResponse parse(InputStream stream) {
      try {
        return response(UnknownFieldSet.parseFrom(stream));
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("its answer is not readable: " + e.getMessage())
            .asRuntimeException();
      }
    }

    private static WorkloadResponse response(UnknownFieldSet response) throws IOException {
      List<ByteString> svids = response.getField(SVIDS).getLengthDelimitedList();
      Map<String, byte[]> federated = new HashMap<>();
      for (ByteString each : response.getField(FEDERATED_BUNDLES).getLengthDelimitedList()) {
        UnknownFieldSet entry = UnknownFieldSet.parseFrom(each);
        federated.put(text(entry, 1), bytes(entry, 2));
      }
      return new WorkloadResponse(
          svids.isEmpty() ? Optional.empty() : Optional.of(svid(svids.get(0))), federated);
    }

    private static Svid svid(ByteString message) throws IOException {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(message);
      return new Svid(text(fields, 1), bytes(fields, 2), bytes(fields, 3), bytes(fields, 4));
    }

    /** Returns the last value of a field, or an empty array if the message lacks the field. */
    private static byte[] bytes(UnknownFieldSet message, int field) {
      List<ByteString> values = message.getField(field).getLengthDelimitedList();
      return values.isEmpty() ? new byte[0] : values.get(values.size() - 1).toByteArray();
    }

    private static String text(UnknownFieldSet message, int field) {
      return new String(bytes(message, field), StandardCharsets.UTF_8);
    }
  }
}
