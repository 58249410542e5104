package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Exhaustion;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.stream.IncrementalDecoder.InUse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Decodes a response and applies one cache event per subscribed resource (A46, A88). Resources that
 * are not subscribed are ignored, valid or not (A57-32).
 *
 * <p>Decoding runs on another executor, so a response with ten thousand resources does not delay
 * the control loop.
 *
 * @param server the server's name, which is passed to observers
 */
@ControlConfined
record ResponseHandler(
    ControlLoop loop,
    Executor decoding,
    XdsServer origin,
    String server,
    ServerSubscriptions subscriptions,
    ResourceTimers timers,
    IncrementalDecoder decoder,
    CurrentOverlay overlays,
    AdsObserver observer) {
  /**
   * A response with less than a quarter of the subscribed resources is decoded without comparing
   * bytes: the comparison would cost more than decoding.
   */
  private static final int SMALL_SHARE = 4;

  static final int MAX_REFUSAL = 256 * 1024;
  static final int MAX_REASON_TEXT = 8 * 1024;

  /**
   * Decodes a response.
   *
   * @param onDecoded receives the subscribed resources and the resources without a name; called on
   *     the control loop, after this method has returned
   */
  <T> void read(ResourceType<T> type, DiscoveryResponse response, Consumer<Decoded<T>> onDecoded) {
    List<Any> resources = response.getResourcesList();
    DecodeContext context = overlays.contextOf(origin);
    List<InUse<T>> known = inUse(type, resources.size(), context.overlay());
    decoding.execute(
        () -> {
          try {
            Decoded<T> decoded = decoder.decode(type, resources, known, context);
            loop.execute(() -> onDecoded.accept(subscribed(type, decoded)));
          } catch (RuntimeException | Error e) {
            loop.execute(
                () -> {
                  onDecoded.accept(undecodable(e));
                  if (!Exhaustion.isOutOfMemory(e)) { // a bug, which the control loop counts
                    throw new IllegalStateException(type + " response of " + server, e);
                  }
                });
          }
        });
  }

  /**
   * Returns the resources in use that this server sent. The same bytes from another server may have
   * been decoded to another value (A71).
   */
  private <T> List<InUse<T>> inUse(ResourceType<T> type, int resources, Overlay overlay) {
    if (resources * SMALL_SHARE < subscriptions.names(type).size()) {
      return List.of();
    }
    List<InUse<T>> inUse = new ArrayList<>();
    for (Subscription<T> subscription : subscriptions.all(type)) {
      CacheEntry.Held<T> held = subscription.entry().held().orElse(null);
      if (held != null
          && held.server().equals(origin)
          && CurrentOverlay.isCurrent(overlay, type, held)) {
        inUse.add(new InUse<>(subscription.name(), held));
      }
    }
    return inUse;
  }

  /** Renames resources to their canonical names (A47-03); omits those that are not subscribed. */
  private <T> Decoded<T> subscribed(ResourceType<T> type, Decoded<T> all) {
    Set<String> names = subscriptions.names(type);
    if (names.containsAll(all.valid().keySet()) && names.containsAll(all.invalid().keySet())) {
      return all; // subscribed names are canonical
    }
    Map<String, Decoded.Valid<T>> valid = new LinkedHashMap<>();
    all.valid().forEach((name, v) -> valid.put(ResourceName.canonical(type, name), v));
    Map<String, Decoded.Invalid> invalid = new LinkedHashMap<>();
    all.invalid().forEach((name, i) -> invalid.put(ResourceName.canonical(type, name), i));
    invalid.keySet().removeAll(valid.keySet());
    valid.keySet().retainAll(names);
    invalid.keySet().retainAll(names);
    return new Decoded<>(valid, invalid, all.unnamed(), all.overlay());
  }

  private static <T> Decoded<T> undecodable(Throwable failure) {
    Object reason =
        Exhaustion.isOutOfMemory(failure)
            ? "there is too little memory; raise the memory limit of the container"
            : failure;
    return new Decoded<>(Map.of(), Map.of(), List.of("the response cannot be decoded: " + reason));
  }

  /** Must be called before {@link #apply}, while the old resources are in use. */
  <T> AdsObserver.Response summary(ResourceType<T> type, String version, Decoded<T> decoded) {
    List<AdsObserver.Change> changes = new ArrayList<>();
    decoded
        .valid()
        .forEach(
            (name, valid) -> {
              Optional<RawResource> before =
                  Optional.ofNullable(subscriptions.find(type, name))
                      .flatMap(subscription -> subscription.entry().held())
                      .map(CacheEntry.Held::raw);
              if (!before.equals(Optional.of(valid.raw()))) {
                String word = before.isPresent() ? "changed" : "is new";
                changes.add(new AdsObserver.Change(name, word));
              }
            });
    decoded
        .invalid()
        .keySet()
        .forEach(name -> changes.add(new AdsObserver.Change(name, "refused")));
    return new AdsObserver.Response(
        type,
        version,
        decoded.valid().size(),
        decoded.invalid().size() + decoded.unnamed().size(),
        changes.stream().limit(AdsObserver.Response.MAX_CHANGES).toList(),
        changes.size());
  }

  /**
   * Returns the text of a NACK: each invalid resource with every reason (A46-02). A text that is
   * too large for servers is truncated and ends with the number of resources that it omits.
   */
  static String refusal(ResourceType<?> type, Decoded<?> decoded) {
    Iterator<String> lines =
        Stream.concat(
                decoded.invalid().entrySet().stream()
                    .map(
                        each ->
                            type.noun()
                                + " \""
                                + each.getKey()
                                + "\": "
                                + reasons(each.getValue())),
                decoded.unnamed().stream())
            .iterator();
    var text = new StringBuilder();
    int remaining = decoded.invalid().size() + decoded.unnamed().size();
    for (; remaining > 0; remaining--) {
      String line = lines.next();
      if (text.length() + line.length() > MAX_REFUSAL) {
        return text.append("\nand ").append(remaining).append(" more").toString();
      }
      text.append(text.isEmpty() ? "" : "\n").append(line);
    }
    return text.toString();
  }

  /**
   * Stores the resources of a response and notifies watchers.
   *
   * @param requested the names that this stream had requested before the response (A57-36)
   */
  <T> void apply(
      ResourceType<T> type, DiscoveryResponse response, Decoded<T> decoded, Set<String> requested) {
    Instant now = loop.now();
    String version = response.getVersionInfo();
    decoded.valid().forEach((name, valid) -> receive(type, name, valid, version, now, decoded));
    overlays.onApplied(decoded.overlay());
    decoded
        .invalid()
        .forEach(
            (name, invalid) ->
                apply(
                    type,
                    name,
                    new CacheEvent.Rejected<>(
                        "%s \"%s\" is invalid: %s".formatted(type.noun(), name, reasons(invalid)),
                        invalid.raw(),
                        version,
                        now)));
    Set<String> failed = new HashSet<>();
    Map<RpcStatus, List<String>> newErrors = new LinkedHashMap<>();
    for (ResourceError error : response.getResourceErrorsList()) {
      applyError(type, error, version, now, failed, newErrors);
    }
    newErrors.forEach((status, names) -> observer.onResourceErrors(server, type, names, status));
    // A resource that cannot be read may have any name, so a missing name does not mean a deletion.
    if (type.fullStateOfTheWorld() && decoded.unnamed().isEmpty()) {
      applyDeletions(
          type,
          requested.stream()
              .filter(name -> !decoded.valid().containsKey(name))
              .filter(name -> !decoded.invalid().containsKey(name))
              .filter(name -> !failed.contains(name)) // A88-13
              .toList(),
          version,
          now);
    }
  }

  private <T> void receive(
      ResourceType<T> type,
      String name,
      Decoded.Valid<T> valid,
      String version,
      Instant now,
      Decoded<T> decoded) {
    var held =
        new CacheEntry.Held<>(valid.value(), valid.raw(), version, now, origin, decoded.overlay());
    apply(type, name, new CacheEvent.Received<>(held));
    overlays.onValue(valid.value());
  }

  /**
   * Applies an error to a subscribed resource; ignores other names, and the status OK.
   *
   * @param failed the set of failed resources, to which the resource's name is added
   * @param newErrors the map to which the name is added if this error of the resource is new
   */
  private <T> void applyError(
      ResourceType<T> type,
      ResourceError error,
      String version,
      Instant now,
      Set<String> failed,
      Map<RpcStatus, List<String>> newErrors) {
    String name = ResourceName.canonical(type, error.getResourceName().getName());
    Subscription<T> subscription = subscriptions.find(type, name);
    var code = RpcStatus.Code.ofNumber(error.getErrorDetail().getCode());
    if (subscription == null || code == RpcStatus.Code.OK) { // A88-14
      return;
    }
    failed.add(name);
    String reason = PlainText.shortened(error.getErrorDetail().getMessage(), MAX_REASON_TEXT);
    var status = new RpcStatus(code, reason);
    RpcStatus named = status.withPrefix(subscription.subject());
    Optional<RpcStatus> before = subscription.entry().dataError().map(CacheEntry.DataError::status);
    if (!before.equals(Optional.of(named))) {
      newErrors.computeIfAbsent(status, absent -> new ArrayList<>()).add(name);
    }
    apply(type, name, new CacheEvent.ServerError<>(named, version, now));
  }

  private <T> void applyDeletions(
      ResourceType<T> type, List<String> absent, String version, Instant now) {
    Map<Boolean, List<String>> deleted = new HashMap<>(); // by whether targets use them further
    for (String name : absent) {
      Subscription<T> subscription = subscriptions.find(type, name);
      if (subscription == null || subscription.isTimed(timers)) {
        continue; // not requested any more, or not received (A57-35)
      }
      CacheEntry<T> before = subscription.entry();
      String message = subscription.subject() + " does not exist: the control plane removed it";
      subscription.apply(new CacheEvent.Deleted<>(message, version, now), origin.features());
      boolean wasInUse = before.held().isPresent() && !before.isStale();
      if (wasInUse && !subscription.entry().equals(before)) {
        boolean isKept =
            !origin.features().failOnDataErrors()
                && !subscription.isWatchedOnlyFor(AdsClients.SERVERS); // decision xds-0077
        deleted.computeIfAbsent(isKept, kept -> new ArrayList<>()).add(name);
      }
    }
    deleted.forEach((kept, names) -> observer.onDeleted(server, type, names, kept));
  }

  private <T> void apply(ResourceType<T> type, String name, CacheEvent<T> event) {
    Subscription<T> subscription = subscriptions.find(type, name);
    if (subscription != null) {
      subscription.apply(event, origin.features());
      if (!subscription.isAbsent()) {
        subscription.stopTimer(timers); // the timers of other servers continue (A57-35)
      }
    }
  }

  /** Returns a text of limited length: thousands of long texts could exhaust the memory. */
  private static String reasons(Decoded.Invalid invalid) {
    return PlainText.shortened(String.join("; ", invalid.texts()), MAX_REASON_TEXT);
  }
}
