package io.outrigger.endtoend;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.testing.Await;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.LoadServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An ADS control plane that serves whatever resources the test has set, as a well-behaved server
 * does: it answers new names, pushes changes and is content with an ACK. It can die, be mute and
 * come back on its port. All of its state lives on one thread of its own.
 */
final class ControlPlane implements AutoCloseable {
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Map<String, Map<String, Any>> resources = new HashMap<>();
  private final List<Stream> streams = new ArrayList<>();
  private final List<DiscoveryRequest> requests = new CopyOnWriteArrayList<>();
  private final LoadServer loads = new LoadServer();
  private final List<MultiThreadIoEventLoopGroup> loops = new ArrayList<>(); // of unix sockets
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final SocketAddress address;
  private final ServerCredentials credentials;
  private final List<ServerInterceptor> gates;
  private @Nullable Server server;
  private @Nullable RefusingPort refusing; // while there is no server
  private int version;
  private boolean mute;
  private volatile boolean recording = true;

  ControlPlane() {
    this(InsecureServerCredentials.create(), List.of());
  }

  /** One that is reached as {@code credentials} say and looks at what calls bring. */
  ControlPlane(ServerCredentials credentials, List<ServerInterceptor> gates) {
    this.credentials = credentials;
    this.gates = gates;
    server = listen(loopback(0));
    address = loopback(requireNonNull(server).getPort());
  }

  /** One on a unix socket; whoever kills it removes the file, and whoever revives it makes it. */
  ControlPlane(Path socket) {
    credentials = InsecureServerCredentials.create();
    gates = List.of();
    address = new DomainSocketAddress(socket.toFile());
    server = listen(address);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** The target for a bootstrap. */
  String target() {
    return address instanceof InetSocketAddress tcp
        ? "127.0.0.1:" + tcp.getPort()
        : "unix://" + ((DomainSocketAddress) address).path();
  }

  /** How many streams there have been. */
  int opened() {
    return opened.get();
  }

  /** The most streams that there were at one time. */
  int mostStreams() {
    return most.get();
  }

  /** Ends every stream, as an agent does whose own upstream has ended. */
  ControlPlane endStreams(Status status) {
    run(
        () -> {
          streams.forEach(stream -> stream.responses.onError(status.asException()));
          streams.clear();
        });
    return this;
  }

  /** Where it takes load reports; it asks for none at first. */
  LoadServer loads() {
    return loads;
  }

  /** Adds or replaces resources and pushes the types that changed, clusters and endpoints first. */
  ControlPlane serve(String... json) {
    run(
        () -> {
          version++;
          Set<String> changed = new TreeSet<>();
          for (String text : json) {
            Any resource = JsonResources.any(text);
            resources
                .computeIfAbsent(resource.getTypeUrl(), type -> new LinkedHashMap<>())
                .put(name(text), resource);
            changed.add(resource.getTypeUrl());
          }
          push(changed);
        });
    return this;
  }

  /** Removes a resource and pushes its type. */
  ControlPlane remove(ResourceType<?> type, String name) {
    run(
        () -> {
          version++;
          resources.getOrDefault(type.typeUrl(), Map.of()).remove(name);
          push(Set.of(type.typeUrl()));
        });
    return this;
  }

  /**
   * Waits until a client asks for a resource, which was sent to it then if it is there. What is
   * removed before would be missing for a client that is slow.
   */
  ControlPlane awaitAskedFor(ResourceType<?> type, String name) {
    Await.until(
        name + " is asked for",
        () -> {
          var asked = new AtomicBoolean();
          run(
              () ->
                  asked.set(
                      streams.stream()
                          .anyMatch(stream -> stream.names(type.typeUrl()).contains(name))));
          return asked.get();
        });
    return this;
  }

  /** A response with exactly these resources, whatever is subscribed. */
  ControlPlane pushRaw(ResourceType<?> type, Any... all) {
    run(
        () -> {
          version++;
          streams.forEach(stream -> stream.send(type.typeUrl(), List.of(all)));
        });
    return this;
  }

  /** Dies: connections break and the port refuses. */
  ControlPlane kill() {
    Server running = server;
    server = null;
    if (running != null) {
      stop(running);
      if (address instanceof InetSocketAddress tcp) {
        refusing = RefusingPort.at(tcp.getPort());
      } else {
        remove((DomainSocketAddress) address);
      }
    }
    run(streams::clear);
    return this;
  }

  /** Comes back on its port; nothing where it is there. */
  ControlPlane revive() {
    if (server == null) {
      release();
      server = Await.bound(() -> listen(address));
    }
    return this;
  }

  /** From now on it is connected but says nothing, or speaks again. */
  ControlPlane mute(boolean silent) {
    run(() -> mute = silent);
    return this;
  }

  /** Remembers only NACKs from here on, for load. */
  ControlPlane quiet() {
    recording = false;
    return this;
  }

  /** Every request so far, of all streams. */
  List<DiscoveryRequest> requests() {
    return List.copyOf(requests);
  }

  /** The details of all NACKs so far. */
  List<String> nacks() {
    return requests.stream()
        .filter(DiscoveryRequest::hasErrorDetail)
        .map(request -> request.getErrorDetail().getMessage())
        .toList();
  }

  /** The names of that type which the last request for it named. */
  Set<String> subscribed(ResourceType<?> type) {
    Set<String> names = Set.of();
    for (DiscoveryRequest request : requests) {
      if (request.getTypeUrl().equals(type.typeUrl())) {
        names = Set.copyOf(request.getResourceNamesList());
      }
    }
    return names;
  }

  private void release() {
    if (refusing != null) {
      refusing.close();
      refusing = null;
    }
  }

  @Override
  public void close() {
    kill();
    release();
    loops.forEach(MultiThreadIoEventLoopGroup::shutdownGracefully);
    thread.shutdownNow();
  }

  private void push(Set<String> types) {
    for (ResourceType<?> type :
        List.of(
            ResourceType.CLUSTER,
            ResourceType.ENDPOINT,
            ResourceType.LISTENER,
            ResourceType.ROUTE)) {
      if (types.contains(type.typeUrl())) {
        streams.forEach(stream -> stream.respond(type.typeUrl(), stream.names(type.typeUrl())));
      }
    }
  }

  private static String name(String json) {
    JsonObject object = JsonParser.parseString(json).getAsJsonObject();
    return object.get(object.has("name") ? "name" : "cluster_name").getAsString();
  }

  private static void remove(DomainSocketAddress socket) {
    try {
      Files.deleteIfExists(Path.of(socket.path()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Server listen(SocketAddress at) {
    NettyServerBuilder builder = NettyServerBuilder.forAddress(at, credentials);
    gates.forEach(builder::intercept);
    if (at instanceof DomainSocketAddress) {
      var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
      builder
          .channelType(EpollServerDomainSocketChannel.class)
          .bossEventLoopGroup(loop)
          .workerEventLoopGroup(loop);
      loops.add(loop);
    }
    try {
      return builder.addService(new Service()).addService(loads).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void stop(Server running) {
    try {
      if (!running
          .shutdownNow()
          .awaitTermination(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("the control plane did not stop");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private void run(Runnable task) {
    Future<?> done = thread.submit(task);
    try {
      done.get(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private final class Service extends AggregatedDiscoveryServiceImplBase {
    @Override
    public StreamObserver<DiscoveryRequest> streamAggregatedResources(
        StreamObserver<DiscoveryResponse> responses) {
      var stream = new Stream((ServerCallStreamObserver<DiscoveryResponse>) responses);
      thread.execute(
          () -> {
            streams.add(stream);
            opened.incrementAndGet();
            most.accumulateAndGet(streams.size(), Math::max);
          });
      return stream;
    }
  }

  /** One client's stream. */
  private final class Stream implements StreamObserver<DiscoveryRequest> {
    private final ServerCallStreamObserver<DiscoveryResponse> responses;
    private final Map<String, Set<String>> names = new HashMap<>();
    private int nonce;

    Stream(ServerCallStreamObserver<DiscoveryResponse> responses) {
      this.responses = responses;
      responses.setOnCancelHandler(this::gone);
    }

    Set<String> names(String type) {
      return names.getOrDefault(type, Set.of());
    }

    @Override
    public void onNext(DiscoveryRequest request) {
      thread.execute(() -> on(request));
    }

    private void on(DiscoveryRequest request) {
      if (recording || request.hasErrorDetail()) {
        requests.add(request);
      }
      Set<String> wanted = Set.copyOf(request.getResourceNamesList());
      Set<String> before = names.put(request.getTypeUrl(), wanted);
      if (!wanted.equals(before)) {
        respond(request.getTypeUrl(), wanted);
      }
    }

    /** The resources of that type which this client wants; nothing while there are none. */
    void respond(String type, Set<String> wanted) {
      Map<String, Any> known = resources.getOrDefault(type, Map.of());
      List<Any> found =
          known.entrySet().stream()
              .filter(entry -> wanted.contains(entry.getKey()))
              .map(Map.Entry::getValue)
              .toList();
      boolean all =
          ResourceType.ALL.stream()
              .anyMatch(t -> t.typeUrl().equals(type) && t.fullStateOfTheWorld());
      if (!wanted.isEmpty() && (all || !found.isEmpty())) {
        send(type, found);
      }
    }

    void send(String type, List<Any> found) {
      if (mute || responses.isCancelled()) {
        return;
      }
      responses.onNext(
          DiscoveryResponse.newBuilder()
              .setTypeUrl(type)
              .setVersionInfo("v" + version)
              .setNonce("n" + ++nonce)
              .addAllResources(found)
              .build());
    }

    @Override
    public void onError(Throwable error) {
      gone();
    }

    @Override
    public void onCompleted() {
      thread.execute(
          () -> {
            streams.remove(this);
            responses.onError(Status.CANCELLED.asException());
          });
    }

    private void gone() {
      if (!thread.isShutdown()) {
        thread.execute(() -> streams.remove(this));
      }
    }
  }
}
