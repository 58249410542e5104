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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The server side of one state-of-the-world stream of a {@link LocalAdsTransport}.
 *
 * <p>A response of a type is due when the client requests new names, or when the resources of that
 * type have changed. The response is sent once the transport has a snapshot and the client permits
 * a response. Each response contains every requested resource, because the client skips resources
 * whose bytes it has. Resources are not sent again until they change, even if the client rejects
 * them. The snapshot is complete, so a requested name that it lacks is answered at once with a
 * resource error (xRFC TP3). A resource with an error of the snapshot is sent together with that
 * error, so that the resource stays in use and the error is known (A88-07).
 */
@ControlConfined
final class LocalAdsStream implements ServerStream<DiscoveryRequest> {
  private static final class Requested {
    Set<String> names = Set.of();
    boolean hasNewNames;
    String sentVersion = "";
  }

  private final ControlLoop loop;
  private final LocalAdsTransport source;
  private final AdsTransport.Listener listener;
  private final Map<ResourceType<?>, Requested> requested = new LinkedHashMap<>();
  private int credits;
  private boolean closed;

  LocalAdsStream(ControlLoop loop, LocalAdsTransport source, AdsTransport.Listener listener) {
    this.loop = loop;
    this.source = source;
    this.listener = listener;
  }

  void start() {
    post(listener::onReady);
  }

  @Override
  public void send(DiscoveryRequest request) {
    loop.checkInside();
    if (!closed) {
      // a type that no source holds is never answered
      ResourceType.ALL.stream()
          .filter(type -> type.typeUrl().equals(request.getTypeUrl()))
          .forEach(type -> request(type, new LinkedHashSet<>(request.getResourceNamesList())));
    }
  }

  private void request(ResourceType<?> type, Set<String> names) {
    Requested of = requested.computeIfAbsent(type, unknown -> new Requested());
    of.hasNewNames |= !of.names.containsAll(names);
    of.names = names;
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
    source.forget(this);
  }

  void respond() {
    source
        .snapshot()
        .ifPresent(
            snapshot -> requested.forEach((type, of) -> respond(type, of, snapshot.ofType(type))));
  }

  private void respond(ResourceType<?> type, Requested of, ResourceSnapshot.OfType resources) {
    boolean isDue =
        !of.names.isEmpty() && (of.hasNewNames || !resources.version().equals(of.sentVersion));
    if (closed || credits == 0 || !isDue) {
      return;
    }
    credits--;
    of.hasNewNames = false;
    of.sentVersion = resources.version();
    var response =
        DiscoveryResponse.newBuilder()
            .setTypeUrl(type.typeUrl())
            .setVersionInfo(resources.version());
    Map<String, Any> all = resources.resources();
    if (type.fullStateOfTheWorld()) {
      response.addAllResources(all.values());
    }
    for (String name : of.names) {
      Optional<Any> known = Optional.ofNullable(all.get(name));
      Optional<RpcStatus> problem = Optional.ofNullable(resources.errors().get(name));
      problem.ifPresent(status -> response.addResourceErrors(error(name, status)));
      if (known.isEmpty() && problem.isEmpty()) {
        (type.equals(ResourceType.LISTENER) ? NamedResource.listenerAt(name, all.values()) : known)
            .ifPresentOrElse(
                response::addResources, () -> response.addResourceErrors(missing(name)));
      } else if (!type.fullStateOfTheWorld()) {
        known.ifPresent(response::addResources);
      }
    }
    DiscoveryResponse built = response.build();
    post(() -> listener.onResponse(built));
  }

  private ResourceError missing(String name) {
    return error(
        name, new RpcStatus(RpcStatus.Code.NOT_FOUND, "does not exist in " + source.name()));
  }

  private static ResourceError error(String name, RpcStatus status) {
    return ResourceError.newBuilder()
        .setResourceName(ResourceName.newBuilder().setName(name))
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
