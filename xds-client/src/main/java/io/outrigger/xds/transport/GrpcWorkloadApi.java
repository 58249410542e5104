package io.outrigger.xds.transport;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
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
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.identity.certificate.WorkloadApi;
import io.outrigger.identity.certificate.WorkloadResponse;
import io.outrigger.identity.certificate.WorkloadResponse.Svid;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The SPIFFE Workload API over gRPC. Each call has its own channel, which is closed with the call.
 * The next call therefore opens a new connection, at a time that the caller chooses.
 */
@AnyThread
public final class GrpcWorkloadApi implements WorkloadApi {
  /** The maximum size of a response, enough for some hundred federated bundles. */
  static final int MAX_RESPONSE_BYTES = 4 << 20;

  /**
   * Holds the gRPC method in its own class, so that gRPC is loaded only when the Workload API is
   * called, and not at each start.
   */
  private static final class Fetch {
    static final Metadata.Key<String> HEADER =
        Metadata.Key.of("workload.spiffe.io", Metadata.ASCII_STRING_MARSHALLER);

    static final MethodDescriptor<byte[], WorkloadResponse> METHOD =
        MethodDescriptor.<byte[], WorkloadResponse>newBuilder()
            .setType(MethodType.BIDI_STREAMING) // gRPC calls onReady only for this type
            .setFullMethodName("SpiffeWorkloadAPI/FetchX509SVID")
            .setRequestMarshaller(new Requests())
            .setResponseMarshaller(new Responses())
            .build();
  }

  private final Optional<String> variable;

  /**
   * @param variable the value of {@link WorkloadEndpoint#VARIABLE}
   */
  public GrpcWorkloadApi(Optional<String> variable) {
    this.variable = variable;
  }

  @Override
  public Outcome<WorkloadEndpoint> ambient() {
    String name = WorkloadEndpoint.VARIABLE;
    if (variable.isEmpty()) {
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
              .keepAliveTime(ServerChannel.KeepAlive.DEFAULT.time().toNanos(), TimeUnit.NANOSECONDS)
              .keepAliveTimeout(
                  ServerChannel.KeepAlive.DEFAULT.timeout().toNanos(), TimeUnit.NANOSECONDS)
              .maxInboundMessageSize(MAX_RESPONSE_BYTES)
              .build();
    } catch (IllegalArgumentException | ProviderNotFoundException unusable) {
      listener.onClosed(RpcStatus.unavailable(String.valueOf(unusable.getMessage())));
      return new NoCall();
    }
    ClientCall<byte[], WorkloadResponse> call = channel.newCall(Fetch.METHOD, CallOptions.DEFAULT);
    var headers = new Metadata();
    headers.put(Fetch.HEADER, "true");
    call.start(new Callbacks(channel, listener), headers);
    call.request(WINDOW);
    call.sendMessage(new byte[0]);
    call.halfClose();
    return new OpenCall(channel, call);
  }

  /** Parses a response. Throws a {@code StatusRuntimeException} when the response is unreadable. */
  static WorkloadResponse parse(InputStream message) {
    return Fetch.METHOD.parseResponse(message);
  }

  /** A call whose channel could not be made. */
  private record NoCall() implements Call {
    @Override
    public void request(int count) {}

    @Override
    public void close() {}
  }

  private record OpenCall(ManagedChannel channel, ClientCall<byte[], WorkloadResponse> call)
      implements Call {
    @Override
    public void request(int count) {
      call.request(count);
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
    public void onReady() {
      listener.onReady();
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
              : GrpcStream.toRpcStatus(status));
    }
  }

  /** Writes the request, which is a message without fields. */
  private static final class Requests implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new UnsupportedOperationException("only sent");
    }
  }

  /** Reads {@code X509SVIDResponse} and skips the fields that are not used here. */
  private static final class Responses implements MethodDescriptor.Marshaller<WorkloadResponse> {
    private static final int SVIDS = 1;
    private static final int FEDERATED_BUNDLES = 3;

    @Override
    public InputStream stream(WorkloadResponse value) {
      throw new UnsupportedOperationException("only received");
    }

    @Override
    public WorkloadResponse parse(InputStream stream) {
      try {
        return response(CodedInputStream.newInstance(stream));
      } catch (IOException e) {
        throw Status.INTERNAL
            .withDescription("its answer is not readable: " + e.getMessage())
            .asRuntimeException();
      }
    }

    private static WorkloadResponse response(CodedInputStream in) throws IOException {
      Optional<Svid> first = Optional.empty();
      Map<String, byte[]> federated = new HashMap<>();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == bytes(SVIDS)) {
          Svid svid = svid(in.readByteArray());
          first = first.or(() -> Optional.of(svid));
        } else if (tag == bytes(FEDERATED_BUNDLES)) {
          Fields entry = Fields.of(in.readByteArray());
          federated.put(entry.text(1), entry.bytes(2));
        } else {
          in.skipField(tag);
        }
      }
      return new WorkloadResponse(first, federated);
    }

    private static Svid svid(byte[] message) throws IOException {
      Fields fields = Fields.of(message);
      return new Svid(fields.text(1), fields.bytes(2), fields.bytes(3), fields.bytes(4));
    }

    private static int bytes(int field) {
      return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    }

    /**
     * The bytes and text fields of a message, by field number. If a message contains a field twice,
     * the last value counts.
     */
    private record Fields(Map<Integer, byte[]> values) {
      static Fields of(byte[] message) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(message);
        Map<Integer, byte[]> values = new HashMap<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
          int field = WireFormat.getTagFieldNumber(tag);
          if (tag == Responses.bytes(field)) {
            values.put(field, in.readByteArray());
          } else {
            in.skipField(tag);
          }
        }
        return new Fields(values);
      }

      byte[] bytes(int field) {
        return values.getOrDefault(field, new byte[0]);
      }

      String text(int field) {
        return new String(bytes(field), StandardCharsets.UTF_8);
      }
    }
  }
}
