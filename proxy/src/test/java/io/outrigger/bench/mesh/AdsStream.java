package io.outrigger.bench.mesh;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One client's state-of-the-world stream: answers each type once everything of it was asked for,
 * pushes changes, and tells of the client's acknowledgements. On the loop of the connection.
 */
final class AdsStream implements StreamObserver<DiscoveryRequest> {
  private final ControlPlaneMain plane;
  private final ServedResources resources;
  private final StreamObserver<DiscoveryResponse> responses;
  private final Consumer<String> acknowledged;
  private final Map<String, Subscription> subscriptions = new HashMap<>();
  private int nonces;

  /** What the client asked of a type, and how far it is answered. */
  private static final class Subscription {
    private Set<String> names = Set.of();
    private boolean isServed;
    private String nonce = "";
    private String version = "";

    boolean includes(String name) {
      return isServed && (names.isEmpty() || names.contains(name));
    }
  }

  /**
   * @param acknowledged gets {@code acked VERSION} or {@code nacked VERSION: REASON}
   */
  AdsStream(
      ControlPlaneMain plane,
      ServedResources resources,
      StreamObserver<DiscoveryResponse> responses,
      Consumer<String> acknowledged) {
    this.plane = plane;
    this.resources = resources;
    this.responses = responses;
    this.acknowledged = acknowledged;
  }

  @Override
  public void onNext(DiscoveryRequest request) {
    String type = request.getTypeUrl();
    boolean isFirst = !subscriptions.containsKey(type);
    Subscription subscription = subscriptions.computeIfAbsent(type, unused -> new Subscription());
    if (!request.getResponseNonce().equals(subscription.nonce)) {
      return; // the client has not seen the newest response; its answer to that follows
    }
    if (!subscription.version.isEmpty()) {
      acknowledge(subscription.version, request);
      subscription.version = "";
    }
    Collection<String> names = request.getResourceNamesList();
    if (!isFirst && isSame(subscription.names, names)) {
      return;
    }
    subscription.names = new HashSet<>(names);
    if (names.isEmpty() || resources.isAll(type, subscription.names)) {
      subscription.isServed = true;
      respond(type, subscription, everything(type, subscription));
    }
  }

  private static boolean isSame(Set<String> before, Collection<String> names) {
    return before.size() == names.size() && before.containsAll(names);
  }

  private void acknowledge(String version, DiscoveryRequest request) {
    acknowledged.accept(
        request.hasErrorDetail()
            ? "nacked " + version + ": " + request.getErrorDetail().getMessage()
            : "acked " + version);
  }

  /**
   * Sends what has changed, if this client has it.
   *
   * @param alone without the other resources of its type
   */
  void push(ServedResources.Key key, Any changed, boolean alone) {
    Subscription subscription = subscriptions.get(key.typeUrl());
    if (subscription != null && subscription.includes(key.name())) {
      List<Any> sent = alone ? List.of(changed) : everything(key.typeUrl(), subscription);
      respond(key.typeUrl(), subscription, sent);
    }
  }

  private List<Any> everything(String type, Subscription subscription) {
    return subscription.names.isEmpty()
        ? resources.unnamed(type)
        : resources.named(type, subscription.names);
  }

  private void respond(String type, Subscription subscription, List<Any> sent) {
    nonces++;
    subscription.nonce = Integer.toString(nonces);
    subscription.version = plane.version();
    responses.onNext(
        DiscoveryResponse.newBuilder()
            .setTypeUrl(type)
            .setVersionInfo(subscription.version)
            .setNonce(subscription.nonce)
            .addAllResources(sent)
            .build());
  }

  @Override
  public void onError(Throwable error) {
    plane.onEnd(this);
  }

  @Override
  public void onCompleted() {
    responses.onCompleted();
    plane.onEnd(this);
  }
}
