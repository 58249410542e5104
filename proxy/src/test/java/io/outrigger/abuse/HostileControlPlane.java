package io.outrigger.abuse;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.Bytes;
import io.outrigger.xds.testing.JsonResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A control plane that gives its good resources to whoever asks for other names than before, and
 * besides sends whatever bytes an attack has. Any thread.
 */
final class HostileControlPlane implements AutoCloseable {
  private static final List<ResourceType<?>> TYPES =
      List.of(ResourceType.LISTENER, ResourceType.CLUSTER, ResourceType.ENDPOINT);

  private final Map<String, Map<String, Any>> good = new ConcurrentHashMap<>();

  /** The version that was acknowledged last, by type. */
  private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

  private final Server server;
  private final AtomicReference<Optional<Stream>> current = new AtomicReference<>(Optional.empty());
  private volatile Function<String, Optional<Any>> others = key -> Optional.empty();
  private final AtomicInteger versions = new AtomicInteger(1);

  HostileControlPlane() {
    var method =
        AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod().toBuilder(
                new Bytes(), new Bytes())
            .build();
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .maxInboundMessageSize(Integer.MAX_VALUE)
              .addService(
                  ServerServiceDefinition.builder(AggregatedDiscoveryServiceGrpc.SERVICE_NAME)
                      .addMethod(method, ServerCalls.asyncBidiStreamingCall(this::open))
                      .build())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private StreamObserver<byte[]> open(StreamObserver<byte[]> responses) {
    var stream = new Stream((ServerCallStreamObserver<byte[]>) responses);
    current.set(Optional.of(stream));
    return stream;
  }

  /** The text of a bootstrap. */
  String bootstrap() {
    return """
    {"xds_servers": [{"server_uri": "127.0.0.1:%d", "channel_creds": [{"type": "insecure"}],
      "server_features": ["xds_v3"]}], "node": {"id": "attacked"}}\
    """
        .formatted(server.getPort());
  }

  /** Makes {@code name} a service with one backend. */
  void serve(String name, int port) {
    String backend =
        JsonResources.endpoints(name, "127.0.0.1").replace("80", Integer.toString(port));
    put(ResourceType.LISTENER, name, JsonResources.any(JsonResources.listener(name, name)));
    put(ResourceType.CLUSTER, name, JsonResources.any(JsonResources.cluster(name)));
    put(ResourceType.ENDPOINT, name, JsonResources.any(backend));
  }

  private void put(ResourceType<?> type, String name, Any resource) {
    good.computeIfAbsent(type.typeUrl(), url -> new ConcurrentHashMap<>()).put(name, resource);
  }

  /** A good resource. */
  Any resource(ResourceType<?> type, String name) {
    return good.get(type.typeUrl()).get(name);
  }

  /**
   * @param made resources for names that are not good ones; a key is the label of a type, a blank
   *     and a name
   */
  void others(Function<String, Optional<Any>> made) {
    others = made;
  }

  /** Sends a message if the client is there and its socket takes it; whether it did. */
  boolean send(Supplier<byte[]> message) {
    Optional<Stream> stream = current.get().filter(each -> each.responses.isReady());
    stream.ifPresent(each -> each.send(message.get()));
    return stream.isPresent();
  }

  /** Sends all that is good, as a new version; {@link #isTaken} tells whether it was taken. */
  void restore() {
    others = key -> Optional.empty();
    versions.incrementAndGet();
    current.get().ifPresent(stream -> TYPES.forEach(type -> stream.respond(type.typeUrl())));
  }

  private String version() {
    return Integer.toString(versions.get());
  }

  boolean isTaken() {
    return TYPES.stream().allMatch(type -> version().equals(acknowledged.get(type.typeUrl())));
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private final class Stream implements StreamObserver<byte[]> {
    private final ServerCallStreamObserver<byte[]> responses;
    private final Map<String, Set<String>> names = new HashMap<>();

    Stream(ServerCallStreamObserver<byte[]> responses) {
      this.responses = responses;
      responses.setOnCancelHandler(() -> {}); // or else sending would throw
    }

    synchronized void send(byte[] message) {
      responses.onNext(message);
    }

    @Override
    public synchronized void onNext(byte[] message) {
      try {
        DiscoveryRequest request = DiscoveryRequest.parseFrom(message);
        Set<String> wanted = Set.copyOf(request.getResourceNamesList());
        if (!request.hasErrorDetail()) {
          acknowledged.put(request.getTypeUrl(), request.getVersionInfo());
        }
        if (!wanted.equals(names.put(request.getTypeUrl(), wanted))) {
          respond(request.getTypeUrl());
        }
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }

    synchronized void respond(String url) {
      var response = DiscoveryResponse.newBuilder().setTypeUrl(url);
      for (String name : names.getOrDefault(url, Set.of())) {
        Optional.ofNullable(good.get(url).get(name))
            .or(() -> others.apply(url.substring(url.lastIndexOf('.') + 1) + " " + name))
            .ifPresent(response::addResources);
      }
      send(response.setVersionInfo(version()).setNonce("n").build().toByteArray());
    }

    @Override
    public synchronized void onError(Throwable error) {
      current.updateAndGet(now -> now.filter(stream -> stream != this));
    }

    @Override
    public synchronized void onCompleted() {
      current.updateAndGet(now -> now.filter(stream -> stream != this));
      responses.onCompleted();
    }
  }
}
