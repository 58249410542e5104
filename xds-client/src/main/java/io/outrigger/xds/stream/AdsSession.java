package io.outrigger.xds.stream;

import com.google.rpc.Code;
import com.google.rpc.Status;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.Decoded;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one ADS stream: the node, names and nonce per type, ACK and NACK, and reading one
 * response at a time. A session is used for one stream and thrown away; what outlives it, the
 * accepted versions, belongs to the supervisor.
 */
@ControlConfined
final class AdsSession implements AdsTransport.Listener {
  private static final Logger log = LoggerFactory.getLogger(AdsSession.class);

  /** What a session tells its supervisor. */
  interface Owner {
    void onReady();

    /** The first response of this stream was read; it is handled after this returns. */
    void onFirstResponse();

    /** The stream is over, unless the session was closed before. */
    void onEnded(boolean responded, RpcStatus reason);
  }

  /** What this stream asked for of one type, and the nonce to answer with. */
  private static final class Requested {
    Set<String> names = new LinkedHashSet<>();
    String nonce = "";
    boolean ever;
  }

  private final ControlLoop loop;
  private final String server;
  private final Node node;
  private final Map<ResourceType<?>, String> acceptedVersions;
  private final Subscriptions subscriptions;
  private final ResourceTimers timers;
  private final ResponseHandler handler;
  private final AdsObserver observer;
  private final Owner owner;
  private final Map<ResourceType<?>, Requested> requested = new HashMap<>();
  private @Nullable AdsStream stream;
  private boolean nodeSent;
  private boolean ready;
  private boolean responded;
  private boolean closed;

  AdsSession(
      ControlLoop loop,
      String server,
      Node node,
      Map<ResourceType<?>, String> acceptedVersions,
      Subscriptions subscriptions,
      ResourceTimers timers,
      ResponseHandler handler,
      AdsObserver observer,
      Owner owner) {
    this.loop = loop;
    this.server = server;
    this.node = node;
    this.acceptedVersions = acceptedVersions;
    this.subscriptions = subscriptions;
    this.timers = timers;
    this.handler = handler;
    this.observer = observer;
    this.owner = owner;
    ResourceType.ALL.forEach(type -> requested.put(type, new Requested()));
  }

  /** Opens the stream and asks for everything that is subscribed. */
  void start(AdsTransport transport) {
    loop.checkInside();
    AdsStream opened = transport.open(this);
    stream = opened;
    onSubscriptionsChanged();
    opened.requestNext();
  }

  /** Sends a request for each type whose names differ from those asked for. */
  void onSubscriptionsChanged() {
    for (ResourceType<?> type : ResourceType.ALL) {
      // Empty as a first request would mean every resource there is (A57-28).
      if (!subscriptions.names(type).equals(requestedOf(type).names)) {
        send(type, Optional.empty());
      }
    }
  }

  void close() {
    closed = true;
    stopTimers();
    if (stream != null) {
      stream.close();
    }
  }

  @Override
  public void onReady() {
    loop.checkInside();
    if (closed || ready) {
      return; // the transport outlived its owner, or reports flow control again
    }
    ready = true;
    owner.onReady();
    for (Subscription<?> subscription : subscriptions.all()) {
      if (requestedOf(subscription.type()).names.contains(subscription.name())) {
        timers.start(subscription);
      }
    }
  }

  @Override
  public void onResponse(DiscoveryResponse response) {
    loop.checkInside();
    if (closed) {
      return; // was under way when we closed
    }
    if (!responded) {
      responded = true;
      owner.onFirstResponse();
    }
    try {
      ResourceType.ALL.stream()
          .filter(type -> type.typeUrl().equals(response.getTypeUrl()))
          .findFirst()
          .ifPresentOrElse(
              type -> handle(type, response),
              // A57-31: neither accepted nor refused
              () -> log.debug("control plane {}: unknown type {}", server, response.getTypeUrl()));
    } finally {
      // Behind whatever the watchers posted: the next response waits until this one is dealt with.
      loop.execute(this::requestNext);
    }
  }

  @Override
  public void onClosed(RpcStatus reason) {
    loop.checkInside();
    if (closed) {
      return; // we closed it ourselves
    }
    closed = true;
    stopTimers();
    owner.onEnded(responded, reason);
  }

  private <T> void handle(ResourceType<T> type, DiscoveryResponse response) {
    Requested of = requestedOf(type);
    if (!of.ever) {
      log.debug("control plane {}: {} sent without being asked", server, type);
      return; // an ACK without names would subscribe to everything
    }
    of.nonce = response.getNonce();
    Set<String> requestedBefore = of.names;
    Decoded<T> decoded = handler.read(type, response);
    answer(type, response, decoded);
    handler.apply(type, response, decoded, requestedBefore);
  }

  private void answer(ResourceType<?> type, DiscoveryResponse response, Decoded<?> decoded) {
    var summary =
        new AdsObserver.Response(
            type,
            response.getVersionInfo(),
            decoded.valid().size(),
            decoded.invalid().size() + decoded.unnamed().size());
    if (decoded.hasErrors()) {
      String details = ResponseHandler.refusal(type, decoded);
      var error =
          Status.newBuilder().setCode(Code.INVALID_ARGUMENT_VALUE).setMessage(details).build();
      send(type, Optional.of(error));
      observer.onNack(server, summary, details);
    } else {
      acceptedVersions.put(type, response.getVersionInfo());
      send(type, Optional.empty());
      observer.onAck(server, summary);
    }
  }

  /** Sends the names now subscribed, with the latest nonce and accepted version (A57-29, 30). */
  private void send(ResourceType<?> type, Optional<Status> error) {
    Requested of = requestedOf(type);
    Set<String> before = of.names;
    Set<String> names = subscriptions.names(type);
    var request =
        DiscoveryRequest.newBuilder()
            .setTypeUrl(type.typeUrl())
            .setVersionInfo(acceptedVersions.getOrDefault(type, ""))
            .setResponseNonce(of.nonce)
            .addAllResourceNames(names);
    error.ifPresent(request::setErrorDetail);
    if (!nodeSent) {
      request.setNode(node); // A57-27
      nodeSent = true;
    }
    of.names = names;
    of.ever = true;
    if (names.isEmpty()) {
      // A server that is told of a version later would leave out what it believes we have.
      acceptedVersions.remove(type);
    }
    if (stream != null) {
      stream.send(request.build());
    }
    if (ready) {
      names.stream()
          .filter(name -> !before.contains(name))
          .map(name -> subscriptions.find(type, name))
          .forEach(this::startTimer);
    }
  }

  private void startTimer(@Nullable Subscription<?> subscription) {
    if (subscription != null) {
      timers.start(subscription);
    }
  }

  private void requestNext() {
    if (!closed && stream != null) {
      stream.requestNext();
    }
  }

  private void stopTimers() {
    subscriptions.all().forEach(Subscription::stopTimer);
  }

  private Requested requestedOf(ResourceType<?> type) {
    return Optional.ofNullable(requested.get(type)).orElseThrow();
  }
}
