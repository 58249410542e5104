package io.outrigger.oracle;

import com.google.common.base.Stopwatch;
import com.google.common.base.Ticker;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.internal.ManagedChannelImplBuilder;
import io.grpc.xds.XdsNameResolverProvider;
import io.grpc.xds.client.Bootstrapper;
import io.grpc.xds.client.EnvoyProtoData;
import io.grpc.xds.client.XdsClientImpl;
import io.grpc.xds.client.XdsClientMetricReporter;
import io.grpc.xds.internal.security.TlsContextManagerImpl;
import io.outrigger.oracle.StoryNetwork.Condition;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A channel of gRPC's own, from its xDS client to its balancers, without a network and on the
 * story's clock: the streams of its control plane and of its calls are fakes.
 */
final class GrpcTrafficClient implements TrafficClient {
  private static final String SCHEME = "story";

  private final FakeControlLoop loop = new FakeControlLoop();
  private final StoryServer server = new StoryServer();
  private final FakeXdsTransport ads = new FakeXdsTransport(server::onRequest);
  private final GrpcConnections connections = new GrpcConnections(loop);
  private final XdsClientImpl client;
  private final ManagedChannel channel;
  private boolean reachable;

  GrpcTrafficClient() {
    var plain = InsecureChannelCredentials.create();
    var bootstrap =
        Bootstrapper.BootstrapInfo.builder()
            .servers(
                List.of(Bootstrapper.ServerInfo.create("cp", plain, false, false, false, false)))
            .node(EnvoyProtoData.Node.newBuilder().setId("n").build())
            .certProviders(
                Map.of(
                    "mesh",
                    Bootstrapper.CertificateProviderInfo.create("file_watcher", Map.of()),
                    "strange",
                    Bootstrapper.CertificateProviderInfo.create("strange", Map.of())))
            .build();
    var ticker =
        new Ticker() {
          @Override
          public long read() {
            return loop.nanoTime();
          }
        };
    client =
        new XdsClientImpl(
            ads,
            bootstrap,
            new LoopScheduler(loop),
            () -> () -> TimeUnit.SECONDS.toNanos(1),
            () -> Stopwatch.createUnstarted(ticker),
            loop::nanoTime,
            message -> "",
            new TlsContextManagerImpl(bootstrap),
            new XdsClientMetricReporter() {});
    var resolvers = new NameResolverRegistry();
    resolvers.register(XdsNameResolverProvider.createForTest(SCHEME, Map.of()));
    channel =
        new ManagedChannelImplBuilder(
                SCHEME + ":///" + TARGET, plain, null, () -> connections, null, resolvers, null)
            .setNameResolverArg(XdsNameResolverProvider.XDS_CLIENT_SUPPLIER, () -> client)
            .directExecutor()
            .idleTimeout(Long.MAX_VALUE, TimeUnit.DAYS)
            .build();
    inside(() -> channel.getState(true));
  }

  /** Does it, and all that follows, with the control plane and without. */
  private void inside(Runnable task) {
    loop.inside(task);
    settle();
  }

  private void settle() {
    if (!reachable) {
      return;
    }
    loop.inside(ads::attach);
    Optional<io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse> due = server.next();
    while (due.isPresent()) {
      var response = due.get();
      loop.inside(() -> ads.respond(response));
      due = server.next();
    }
  }

  @Override
  public void attach() {
    reachable = true;
    settle();
  }

  @Override
  public void serve(ResourceType<?> type, String name, Optional<? extends Message> resource) {
    resource.ifPresentOrElse(it -> server.put(type, name, it), () -> server.remove(type, name));
    settle();
  }

  @Override
  public String verdict(ResourceType<?> type) {
    return server.verdict(type);
  }

  @Override
  public void set(int port, Condition condition) {
    inside(() -> connections.set(port, condition));
  }

  @Override
  public void pass(Duration time) {
    loop.advance(time);
    settle();
  }

  @Override
  public TrafficClient.Call call(String path, boolean waitForReady) {
    var listener = new CallListener();
    CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(listener.tracers());
    ClientCall<String, String> call =
        channel.newCall(
            NamedBackend.method(path.substring(1)),
            waitForReady ? options.withWaitForReady() : options);
    inside(
        () -> {
          call.start(listener, new Metadata());
          call.request(1);
          call.halfClose();
        });
    return new Call(call, listener);
  }

  @Override
  public void close() {
    inside(channel::shutdownNow);
    inside(client::shutdown);
  }

  private final class Call implements TrafficClient.Call {
    private final ClientCall<String, String> call;
    private final CallListener listener;

    Call(ClientCall<String, String> call, CallListener listener) {
      this.call = call;
      this.listener = listener;
    }

    @Override
    public String outcome() {
      return listener.outcome;
    }

    /** A call without a stream has no tracer yet: it waits for the resolver. */
    @Override
    public List<String> delays() {
      return listener.hasStream ? List.copyOf(listener.delays) : List.of("resolving");
    }

    @Override
    public void cancel() {
      inside(() -> call.cancel("given up", null));
    }
  }

  private static final class CallListener extends ClientCall.Listener<String> {
    private final List<String> delays = new ArrayList<>();
    private String outcome = "waits";
    private boolean hasStream;

    @Override
    public void onClose(Status status, Metadata trailers) {
      outcome = status.isOk() ? GrpcConnections.port(trailers) : status.getCode().name();
    }

    ClientStreamTracer.Factory tracers() {
      return new ClientStreamTracer.Factory() {
        @Override
        public ClientStreamTracer newClientStreamTracer(
            ClientStreamTracer.StreamInfo info, Metadata headers) {
          hasStream = true;
          if (info.getCallOptions().getOption(ClientStreamTracer.NAME_RESOLUTION_DELAYED) != null) {
            delays.add("resolving");
          }
          return new ClientStreamTracer() {
            @Override
            public void recordAttemptDelayStart(String type, String reason) {
              delays.add(type);
            }
          };
        }
      };
    }
  }
}
