package io.outrigger.xds.local;

import com.google.protobuf.Any;
import com.google.rpc.Code;
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
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The server side of one state-of-the-world stream over a {@link ResourceSource}.
 *
 * <p>A response of a type is due when the client requests new names, or when the resources of the
 * source differ from those sent. The response is sent once the source has a snapshot and the client
 * permits a response. Resources are not sent again until they change, even if the client rejects
 * them. The source is complete, so a requested name that it lacks is answered at once with a
 * resource error (xRFC TP3).
 */
@ControlConfined
final class LocalAdsStream implements ServerStream<DiscoveryRequest> {
  private final ControlLoop loop;
  private final ResourceSource source;
  private final AdsTransport.Listener listener;
  private final Consumer<LocalAdsStream> onEnd;
  private final Map<String, LocalSubscription> subscriptions = new LinkedHashMap<>();
  private final Runnable onChange = this::respond;
  private int credits;
  private long nonces;
  private boolean closed;

  LocalAdsStream(
      ControlLoop loop,
      ResourceSource source,
      AdsTransport.Listener listener,
      Consumer<LocalAdsStream> onEnd) {
    this.loop = loop;
    this.source = source;
    this.listener = listener;
    this.onEnd = onEnd;
  }

  void start() {
    source.subscribe(onChange);
    post(listener::onReady);
  }

  @Override
  public void send(DiscoveryRequest request) {
    loop.checkInside();
    Optional<ResourceType<?>> type =
        ResourceType.ALL.stream()
            .filter(known -> known.typeUrl().equals(request.getTypeUrl()))
            .findFirst();
    if (closed || type.isEmpty()) {
      return; // a type that no source holds is never answered
    }
    subscriptions
        .computeIfAbsent(request.getTypeUrl(), url -> new LocalSubscription(type.get()))
        .onRequest(request);
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
    if (!closed) {
      closed = true;
      source.unsubscribe(onChange);
      onEnd.accept(this);
    }
  }

  /** Ends the stream from the server side. */
  void end(RpcStatus reason) {
    if (!closed) {
      close();
      loop.execute(() -> listener.onClosed(reason));
    }
  }

  private void respond() {
    source
        .snapshot()
        .ifPresent(snapshot -> subscriptions.values().forEach(each -> respond(each, snapshot)));
  }

  private void respond(LocalSubscription subscription, ResourceSnapshot snapshot) {
    if (closed || credits == 0) {
      return;
    }
    ResourceSnapshot.OfType resources = snapshot.ofType(subscription.type());
    Map<String, Optional<Any>> due = subscription.takeDue(resources);
    if (due.isEmpty()) {
      return;
    }
    String nonce = String.valueOf(++nonces);
    subscription.onSent(nonce);
    var response =
        DiscoveryResponse.newBuilder()
            .setTypeUrl(subscription.type().typeUrl())
            .setVersionInfo(resources.version())
            .setNonce(nonce);
    due.forEach(
        (name, resource) ->
            resource.ifPresentOrElse(
                response::addResources, () -> response.addResourceErrors(missing(name))));
    credits--;
    DiscoveryResponse built = response.build();
    post(() -> listener.onResponse(built));
  }

  private ResourceError missing(String name) {
    return ResourceError.newBuilder()
        .setResourceName(ResourceName.newBuilder().setName(name))
        .setErrorDetail(
            Status.newBuilder()
                .setCode(Code.NOT_FOUND_VALUE)
                .setMessage("does not exist in " + source.name()))
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
