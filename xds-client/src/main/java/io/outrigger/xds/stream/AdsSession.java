package io.outrigger.xds.stream;

import com.google.rpc.Code;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ServerStream;
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
 * One ADS stream. The session requests the subscribed names of each type, answers each response
 * with ACK or NACK, and reads one response at a time.
 */
@ControlConfined
final class AdsSession implements AdsTransport.Listener {
  private static final Logger log = LoggerFactory.getLogger(AdsSession.class);

  private enum Phase {
    OPENED,
    RESPONDED,
    CLOSED
  }

  private static final class Requested {
    Set<String> names = Set.of();
    final Set<String> unsubscribed = new HashSet<>(); // names removed since the last request
    final Set<String> untimed = new LinkedHashSet<>(); // requested names whose timer is off
    String nonce = "";
    Optional<Status> refusal = Optional.empty(); // the error of the latest response
    boolean isAnswerPending; // the ACK or NACK of the latest response is not sent yet
    boolean sentAny;
  }

  private final ControlLoop loop;
  private final String server;
  private final WireNode node;
  private final Map<ResourceType<?>, String> acceptedVersions; // outlive the stream (A57-26)
  private final ServerSubscriptions subscriptions;
  private final ResourceTimers timers;
  private final ResponseHandler handler;
  private final AdsObserver observer;
  private final StreamSupervisor supervisor;
  private final Map<ResourceType<?>, Requested> requested = new HashMap<>();
  private final ServerStream<DiscoveryRequest> stream;
  private @Nullable ResourceType<?> reading; // the type of the response that is being decoded
  private Optional<RpcStatus> deferredEnd = Optional.empty(); // the stream ended during decoding
  private Phase phase = Phase.OPENED;
  private boolean ready; // whether onReady was called

  AdsSession(
      AdsTransport transport,
      WireNode node,
      Map<ResourceType<?>, String> acceptedVersions,
      ResponseHandler handler,
      StreamSupervisor supervisor) {
    this.loop = handler.loop();
    this.server = handler.server();
    this.node = node;
    this.acceptedVersions = acceptedVersions;
    this.subscriptions = handler.subscriptions();
    this.timers = handler.timers();
    this.handler = handler;
    this.observer = handler.observer();
    this.supervisor = supervisor;
    ResourceType.ALL.forEach(type -> requested.put(type, new Requested()));
    this.stream = transport.open(this);
  }

  void start() {
    onSubscriptionsChanged();
    stream.requestNext();
  }

  /** Sends a request for each type whose subscribed names differ from the requested names. */
  void onSubscriptionsChanged() {
    for (ResourceType<?> type : ResourceType.ALL) {
      Set<String> names = subscriptions.names(type);
      Requested of = requestedOf(type);
      boolean isChanged = !names.equals(of.names);
      if (isChanged && of.sentAny && isBlocked() && !of.isAnswerPending && !type.equals(reading)) {
        of.refusal = Optional.empty();
        of.isAnswerPending = true; // the next request repeats the last ACK
      }
      if (type.equals(reading) || of.isAnswerPending) {
        // The pending ACK or NACK will contain the subscribed names. Unsubscribing drops the
        // resource from the client's cache. To receive a dropped resource again, the client must
        // first send a request that omits its name, and then a request with its name.
        of.names.stream().filter(name -> !names.contains(name)).forEach(of.unsubscribed::add);
      } else if (isChanged) {
        // No request is sent before the first subscription, because an empty first request would
        // subscribe to every resource (A57-28).
        send(type, names, Optional.empty());
      }
    }
  }

  void close() {
    phase = Phase.CLOSED;
    stopTimers();
    stream.close();
  }

  @Override
  public void onReady() {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // the session was closed before the event arrived
    }
    if (!ready) {
      ready = true;
      supervisor.onReady();
    }
    ResourceType.ALL.stream()
        .filter(type -> requestedOf(type).isAnswerPending)
        .forEach(this::sendAnswer);
    ResourceType.ALL.forEach(this::startTimers);
  }

  @Override
  public void onResponse(DiscoveryResponse response) {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // the response was in flight when the session was closed
    }
    if (phase == Phase.OPENED) {
      phase = Phase.RESPONDED;
      supervisor.onFirstResponse();
    }
    ResourceType.ALL.stream()
        .filter(type -> type.typeUrl().equals(response.getTypeUrl()))
        .findFirst()
        .ifPresentOrElse(type -> read(type, response), () -> ignore(response)); // A57-31
  }

  private void ignore(DiscoveryResponse response) {
    log.debug("control plane {}: ignored a response of {}", server, response.getTypeUrl());
    loop.execute(this::requestNext);
  }

  @Override
  public void onClosed(RpcStatus reason) {
    loop.checkInside();
    if (phase == Phase.CLOSED) {
      return; // the session closed the stream itself
    }
    if (reading != null) {
      deferredEnd = Optional.of(reason); // the response is applied before the end
      return;
    }
    boolean responded = phase == Phase.RESPONDED;
    phase = Phase.CLOSED;
    stopTimers();
    supervisor.onEnded(responded, reason);
  }

  private <T> void read(ResourceType<T> type, DiscoveryResponse response) {
    Requested of = requestedOf(type);
    if (!of.sentAny) {
      ignore(response); // an ACK without names would subscribe to everything
      return;
    }
    of.nonce = response.getNonce();
    of.isAnswerPending = false; // the answer to this response replaces the earlier answer
    reading = type;
    timers.setDecoding(true);
    Set<String> requestedBefore = of.names;
    handler.read(type, response, decoded -> apply(type, response, decoded, requestedBefore));
  }

  private <T> void apply(
      ResourceType<T> type,
      DiscoveryResponse response,
      Decoded<T> decoded,
      Set<String> requestedBefore) {
    if (phase == Phase.CLOSED) {
      return; // the session was closed during decoding
    }
    reading = null;
    try {
      answer(type, response, decoded);
      handler.apply(type, response, decoded, requestedBefore);
    } finally {
      // The next response is read by a later task, after the tasks that watchers have posted.
      loop.execute(this::requestNext);
      timers.setDecoding(false);
      deferredEnd.ifPresent(this::onClosed);
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

  /**
   * Sends an ACK or NACK when the server has read the earlier requests. For each type, at most one
   * ACK or NACK is pending. A server that sends responses but reads no requests cannot exhaust the
   * memory.
   */
  private void answer(ResourceType<?> type, Optional<Status> refusal) {
    Requested of = requestedOf(type);
    of.refusal = refusal;
    of.isAnswerPending = true;
    if (!isBlocked()) {
      sendAnswer(type);
    }
  }

  /** Whether the server has not yet read the earlier requests. */
  private boolean isBlocked() {
    return ready && !stream.isReady();
  }

  /**
   * Sends an ACK or NACK with the subscribed names. If a name was unsubscribed and subscribed again
   * since the last request, the ACK or NACK omits the name, and a second request adds the name.
   */
  private void sendAnswer(ResourceType<?> type) {
    Requested of = requestedOf(type);
    of.isAnswerPending = false;
    Set<String> names = subscriptions.names(type);
    if (Collections.disjoint(names, of.unsubscribed)) {
      send(type, names, of.refusal);
    } else {
      Set<String> kept = new LinkedHashSet<>(names);
      kept.removeAll(of.unsubscribed);
      send(type, kept, of.refusal);
      send(type, names, Optional.empty());
    }
    of.unsubscribed.clear();
  }

  private void send(ResourceType<?> type, Set<String> names, Optional<Status> error) {
    Requested of = requestedOf(type);
    Set<String> before = of.names;
    var request =
        DiscoveryRequest.newBuilder()
            .setTypeUrl(type.typeUrl())
            .setVersionInfo(acceptedVersions.getOrDefault(type, "")) // A57-29, A57-30
            .setResponseNonce(of.nonce)
            .addAllResourceNames(names);
    error.ifPresent(request::setErrorDetail);
    if (requested.values().stream().noneMatch(each -> each.sentAny)) { // the first request
      request.setUnknownFields(node.asField(DiscoveryRequest.NODE_FIELD_NUMBER)); // A57-27
    }
    if (names != before) {
      of.names = names;
      of.untimed.retainAll(names);
      names.stream().filter(name -> !before.contains(name)).forEach(of.untimed::add);
    }
    of.sentAny = true;
    if (names.isEmpty()) {
      // If later requests had a version, the server would omit resources that it has already sent.
      acceptedVersions.remove(type);
    }
    stream.send(request.build());
    startTimers(type);
  }

  /** Starts the timers of requested names if the requests have been written (A57-12, A57-22). */
  private void startTimers(ResourceType<?> type) {
    if (!ready || !stream.isReady()) {
      return; // onReady starts the timers
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
    if (phase != Phase.CLOSED) {
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
