package io.outrigger.xds.stream;

import com.google.rpc.Code;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.WireNode;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
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

  /** How far the stream has come. Whether it can be written to now is the transport's to say. */
  private enum Phase {
    /** No response has come. */
    OPENED,
    RESPONDED,
    /** By either side. */
    CLOSED
  }

  /** What this stream asked for of one type, and the nonce to answer with. */
  private static final class Requested {
    Set<String> names = Set.of();
    final Set<String> forgotten = new HashSet<>(); // of names, while a response was decoded
    final Set<String> untimed = new LinkedHashSet<>(); // asked for, but maybe not written yet
    String nonce = "";
    boolean ever;
  }

  private final ControlLoop loop;
  private final String server;
  private final WireNode node;
  private final Map<ResourceType<?>, String> acceptedVersions;
  private final ServerSubscriptions subscriptions;
  private final ResourceTimers timers;
  private final ResponseHandler handler;
  private final AdsObserver observer;
  private final Owner owner;
  private final Map<ResourceType<?>, Requested> requested = new HashMap<>();
  private @Nullable AdsStream stream;
  private @Nullable ResourceType<?> reading; // of the response that is being decoded
  private Optional<RpcStatus> ending = Optional.empty(); // told while a response was decoded
  private Phase phase = Phase.OPENED;
  private boolean ready; // once at least

  AdsSession(
      ControlLoop loop,
      String server,
      WireNode node,
      Map<ResourceType<?>, String> acceptedVersions,
      ServerSubscriptions subscriptions,
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
    AdsStream opened = transport.open(this);
    stream = opened;
    onSubscriptionsChanged();
    opened.requestNext();
  }

  /** Sends a request for each type whose names differ from those asked for. */
  void onSubscriptionsChanged() {
    for (ResourceType<?> type : ResourceType.ALL) {
      Set<String> names = subscriptions.names(type);
      Requested of = requestedOf(type);
      if (type.equals(reading)) {
        // The ACK or NACK will carry the names. One that is watched again by then has lost what was
        // known of it, and only who asks anew is sent it again.
        of.names.stream().filter(name -> !names.contains(name)).forEach(of.forgotten::add);
      } else if (!names.equals(of.names)) {
        // Empty as a first request would mean every resource there is (A57-28).
        send(type, names, Optional.empty());
      }
    }
  }

  void close() {
    phase = Phase.CLOSED;
    stopTimers();
    if (stream != null) {
      stream.close();
    }
  }

  @Override
  public void onReady() {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // the transport outlived its owner
    }
    if (!ready) {
      ready = true;
      owner.onReady();
    }
    ResourceType.ALL.forEach(this::startTimers);
  }

  @Override
  public void onResponse(DiscoveryResponse response) {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // was under way when we closed
    }
    if (phase == Phase.OPENED) {
      phase = Phase.RESPONDED;
      owner.onFirstResponse();
    }
    ResourceType.ALL.stream()
        .filter(type -> type.typeUrl().equals(response.getTypeUrl()))
        .findFirst()
        .ifPresentOrElse(type -> read(type, response), () -> passOver(response));
  }

  /** A57-31: neither accepted nor refused. */
  private void passOver(DiscoveryResponse response) {
    log.debug("control plane {}: unknown type {}", server, response.getTypeUrl());
    loop.execute(this::requestNext);
  }

  @Override
  public void onClosed(RpcStatus reason) {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // we closed it ourselves
    }
    if (reading != null) {
      ending = Optional.of(reason); // what came before the end counts
      return;
    }
    boolean responded = phase == Phase.RESPONDED;
    phase = Phase.CLOSED;
    stopTimers();
    owner.onEnded(responded, reason);
  }

  private <T> void read(ResourceType<T> type, DiscoveryResponse response) {
    Requested of = requestedOf(type);
    if (!of.ever) {
      log.debug("control plane {}: {} sent without being asked", server, type);
      loop.execute(this::requestNext); // an ACK without names would subscribe to everything
      return;
    }
    of.nonce = response.getNonce();
    reading = type;
    timers.hold(type);
    Set<String> requestedBefore = of.names;
    handler.read(type, response, decoded -> apply(type, response, decoded, requestedBefore));
  }

  private <T> void apply(
      ResourceType<T> type,
      DiscoveryResponse response,
      Decoded<T> decoded,
      Set<String> requestedBefore) {
    if (phase == Phase.CLOSED) {
      return; // closed by us meanwhile
    }
    reading = null;
    try {
      answer(type, response, decoded);
      handler.apply(type, response, decoded, requestedBefore);
    } finally {
      // Behind whatever the watchers posted: the next response waits until this one is dealt with.
      loop.execute(this::requestNext);
      try {
        timers.release();
      } finally {
        ending.ifPresent(this::onClosed);
      }
    }
  }

  private <T> void answer(ResourceType<T> type, DiscoveryResponse response, Decoded<T> decoded) {
    AdsObserver.Response summary = handler.summary(type, response.getVersionInfo(), decoded);
    if (decoded.hasErrors()) {
      String details = ResponseHandler.refusal(type, decoded);
      var error =
          Status.newBuilder().setCode(Code.INVALID_ARGUMENT_VALUE).setMessage(details).build();
      answer(type, Optional.of(error));
      observer.onNack(server, summary, details);
    } else {
      acceptedVersions.put(type, response.getVersionInfo());
      answer(type, Optional.empty());
      observer.onAck(server, summary);
    }
  }

  /** With the names now subscribed; those that were forgotten meanwhile are asked for anew. */
  private void answer(ResourceType<?> type, Optional<Status> error) {
    Set<String> names = subscriptions.names(type);
    Set<String> forgotten = requestedOf(type).forgotten;
    if (Collections.disjoint(names, forgotten)) {
      send(type, names, error);
    } else {
      Set<String> kept = new LinkedHashSet<>(names);
      kept.removeAll(forgotten);
      send(type, kept, error);
      send(type, names, Optional.empty());
    }
    forgotten.clear();
  }

  /** Sends {@code names} with the latest nonce and accepted version (A57-29, 30). */
  private void send(ResourceType<?> type, Set<String> names, Optional<Status> error) {
    Requested of = requestedOf(type);
    Set<String> before = of.names;
    var request =
        DiscoveryRequest.newBuilder()
            .setTypeUrl(type.typeUrl())
            .setVersionInfo(acceptedVersions.getOrDefault(type, ""))
            .setResponseNonce(of.nonce)
            .addAllResourceNames(names);
    error.ifPresent(request::setErrorDetail);
    if (requested.values().stream().noneMatch(each -> each.ever)) { // the first of the stream
      request.setUnknownFields(node.asField(DiscoveryRequest.NODE_FIELD_NUMBER)); // A57-27
    }
    if (names != before) {
      of.names = names;
      of.untimed.retainAll(names);
      names.stream().filter(name -> !before.contains(name)).forEach(of.untimed::add);
    }
    of.ever = true;
    if (names.isEmpty()) {
      // A server that is told of a version later would leave out what it believes we have.
      acceptedVersions.remove(type);
    }
    if (stream != null) {
      stream.send(request.build());
    }
    startTimers(type);
  }

  /** Once what was asked for has been written to a connection (A57-12, A57-22). */
  private void startTimers(ResourceType<?> type) {
    if (!ready || stream == null || !stream.isReady()) {
      return; // onReady follows
    }
    Requested of = requestedOf(type);
    for (String name : of.untimed) {
      Subscription<?> subscription = subscriptions.find(type, name);
      if (subscription != null) {
        timers.start(subscription);
      }
    }
    of.untimed.clear();
  }

  private void requestNext() {
    if (phase != Phase.CLOSED && stream != null) {
      stream.requestNext();
    }
  }

  private void stopTimers() {
    timers.onStreamEnded(subscriptions.all());
  }

  private Requested requestedOf(ResourceType<?> type) {
    return Optional.ofNullable(requested.get(type)).orElseThrow();
  }
}
