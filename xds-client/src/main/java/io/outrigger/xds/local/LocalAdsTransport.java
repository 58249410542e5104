package io.outrigger.xds.local;

import com.google.protobuf.Any;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.envoyproxy.envoy.service.discovery.v3.ResourceName;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A control plane whose resources come from this machine: from files, or from {@code dns:///} and
 * {@code k8s:///} targets. The resources pass through the same stream, decoders and cache as the
 * resources of a remote control plane.
 */
@ControlConfined
public final class LocalAdsTransport implements AdsTransport {
  private static final class Requested {
    Set<String> names = Set.of();
    boolean hasNewNames;
    String sentVersion = "";

    /** The requested names and all resources at the time of the last response. */
    Set<String> sentNames = Set.of();

    Map<String, Any> sent = Map.of();

    boolean isSent(String wanted, String name, Any resource) {
      return sentNames.contains(wanted) && resource.equals(sent.get(name));
    }
  }

  private final ControlLoop loop;
  private final String name;
  private final RpcStatus missing;
  private final List<LocalStream> streams = new ArrayList<>();
  private Optional<ResourceSnapshot> snapshot = Optional.empty();
  private boolean isConnected;

  /**
   * @param name the name that messages use for the source of the resources, such as a folder
   */
  public LocalAdsTransport(ControlLoop loop, String name) {
    this.loop = loop;
    this.name = name;
    this.missing = new RpcStatus(RpcStatus.Code.NOT_FOUND, "does not exist in " + name);
  }

  /** Replaces the resources. Streams receive no response before the first call of this method. */
  public void publish(ResourceSnapshot next) {
    publish(next, true);
  }

  /**
   * @param isAnswer whether the source has answered; the first answer triggers {@code onReady}
   */
  public void publish(ResourceSnapshot next, boolean isAnswer) {
    if (isAnswer && !isConnected) {
      isConnected = true;
      streams.forEach(stream -> stream.post(stream.listener::onReady));
    }
    snapshot = Optional.of(next);
    List.copyOf(streams).forEach(LocalStream::respond);
  }

  Optional<ResourceSnapshot> snapshot() {
    return snapshot;
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    loop.checkInside();
    var stream = new LocalStream(listener);
    streams.add(stream);
    if (isConnected) {
      stream.post(listener::onReady);
    }
    return stream;
  }

  /** Does nothing, because each client closes its streams. */
  @Override
  public void close() {}

  @Override
  public String name() {
    return name;
  }

  @Override
  public String title() {
    return "resources from " + name;
  }

  /**
   * The server side of one state-of-the-world stream.
   *
   * <p>A response of a type is due when the client requests new names, or when the resources of
   * that type have changed. Each response contains every requested resource; the client skips
   * resources whose bytes have not changed. For each requested name that is not in the snapshot,
   * the response contains a resource error (xRFC TP3). If the snapshot has a resource and an error
   * for one name, the first response contains both, so that the client uses the resource (A88-07).
   * Later responses contain only the error, because sending the resource would clear the error for
   * a moment.
   */
  private final class LocalStream implements ServerStream<DiscoveryRequest> {
    private final AdsTransport.Listener listener;
    private final Map<ResourceType<?>, Requested> requested = new LinkedHashMap<>();
    private int credits;
    private boolean closed;

    LocalStream(AdsTransport.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void send(DiscoveryRequest request) {
      loop.checkInside();
      if (!closed) {
        // Requests of unknown types receive no response.
        ResourceType.ALL.stream()
            .filter(type -> type.typeUrl().equals(request.getTypeUrl()))
            .forEach(type -> request(type, new LinkedHashSet<>(request.getResourceNamesList())));
      }
    }

    private void request(ResourceType<?> type, Set<String> names) {
      Requested known = requested.computeIfAbsent(type, absent -> new Requested());
      known.hasNewNames |= !known.names.containsAll(names);
      known.names = names;
      respond();
    }

    @Override
    public boolean isReady() {
      return !closed;
    }

    @Override
    public void requestNext() {
      loop.checkInside();
      credits++;
      respond();
    }

    @Override
    public void close() {
      loop.checkInside();
      closed = true;
      streams.remove(this);
    }

    void respond() {
      snapshot.ifPresent(
          all -> requested.forEach((type, names) -> respond(type, names, all.ofType(type))));
    }

    private void respond(
        ResourceType<?> type, Requested request, ResourceSnapshot.OfType resources) {
      boolean isDue =
          !request.names.isEmpty()
              && (request.hasNewNames || !resources.version().equals(request.sentVersion));
      if (closed || credits == 0 || !isDue) {
        return;
      }
      credits--;
      request.hasNewNames = false;
      request.sentVersion = resources.version();
      var response =
          DiscoveryResponse.newBuilder()
              .setTypeUrl(type.typeUrl())
              .setVersionInfo(resources.version());
      Map<String, Any> all = resources.resources();
      Map<String, String> listed = new LinkedHashMap<>(); // names in the snapshot, by sent name
      if (type.fullStateOfTheWorld()) {
        all.keySet().forEach(each -> listed.put(each, each));
      }
      for (String wanted : request.names) {
        boolean mayBeAddress = type.equals(ResourceType.LISTENER) && !all.containsKey(wanted);
        listed.put(
            wanted, mayBeAddress ? NamedResource.listenerAt(wanted, all).orElse(wanted) : wanted);
      }
      listed.forEach(
          (wanted, found) -> {
            Any known = all.get(found);
            RpcStatus problem =
                resources.errors().getOrDefault(found, known == null ? missing : RpcStatus.OK);
            if (!problem.isOk() && request.names.contains(wanted)) {
              response.addResourceErrors(error(wanted, problem));
            }
            if (known != null && (problem.isOk() || !request.isSent(wanted, found, known))) {
              response.addResources(
                  found.equals(wanted) ? known : NamedResource.renamed(known, wanted));
            }
          });
      request.sentNames = request.names;
      request.sent = all;
      DiscoveryResponse built = response.build();
      post(() -> listener.onResponse(built));
    }

    private static ResourceError error(String resource, RpcStatus status) {
      return ResourceError.newBuilder()
          .setResourceName(ResourceName.newBuilder().setName(resource))
          .setErrorDetail(
              Status.newBuilder().setCode(status.code().number()).setMessage(status.message()))
          .build();
    }

    private void post(Runnable event) {
      loop.execute(
          () -> {
            if (!closed) {
              event.run();
            }
          });
    }
  }
}
