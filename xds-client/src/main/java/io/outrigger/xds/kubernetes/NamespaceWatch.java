package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.xds.kubernetes.ApiClient.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;

/**
 * Keeps the EndpointSlices of some services of one namespace up to date, on the loop of this
 * package.
 *
 * <pre>
 * LISTING  -> WATCHING  on the list
 * LISTING  -> RESTING   on failure; the next request is a list
 * WATCHING -> RESTING   on the end of the watch; the next request is a watch from the last version,
 *                       or a list when that version is too old (410) or watching is refused
 * RESTING  -> LISTING or WATCHING  on the timer: back-off measured from the start of the request
 * any      -> CLOSED    on close
 * </pre>
 *
 * <p>One watch serves all services of the namespace, so that the API server has one watch instead
 * of one for each service, and one connection is enough over HTTP/1.1 as well. Slices stay in use
 * until a list or an event says otherwise, whatever fails.
 */
@ControlConfined
final class NamespaceWatch {
  /** The longest pause between requests, so that a server that is back is used soon. */
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

  /** How long a watch may continue beyond its time, as a percentage of that time. */
  private static final int GRACE_PERCENT = 25;

  /** The least time between two changes of endpoints, each of which costs all endpoints. */
  private static final Duration PACE = Duration.ofMillis(100);

  private static final int GONE = 410;
  private static final int TIMEOUT = 504;
  private static final int MAX_MESSAGE = 300;

  private final ControlLoop loop;
  private final ApiClient client;
  private final RandomSource random;
  private final Backoff backoff;
  private final String namespace;
  private final SortedSet<String> services;
  private final Duration watchTime;
  private final Listener listener;
  private final Map<String, EndpointSlice> slices = new HashMap<>();
  private final Set<String> changed = new HashSet<>();
  private Optional<String> version = Optional.empty();

  /** The minimum version of a list; 0 accepts any version. */
  private String newest = "0";

  private boolean isListed;
  private boolean isExpired;
  private boolean isPublishing;
  private boolean isOpen;
  private boolean closed;
  private Duration watchLimit = Duration.ZERO;
  private long startedAt;
  private long publishedAt;
  private Optional<RpcStatus> problem = Optional.empty();
  private Optional<ApiClient.Call> call = Optional.empty();
  private TimerHandle timer = () -> {};

  interface Listener {
    /**
     * @param slices the slices of {@code service}; empty when none was ever listed
     * @param problem why the slices are unknown or may be out of date
     */
    void onSlices(
        String service, Optional<Collection<EndpointSlice>> slices, Optional<RpcStatus> problem);
  }

  /**
   * @param watchTime the least time after which the server is to end a watch, at least 1 s; the
   *     time of each watch is up to twice as long, so that sidecars do not send their requests at
   *     the same moment. A connection that died silently is detected after that time
   */
  NamespaceWatch(
      ControlLoop loop,
      ApiClient client,
      RandomSource random,
      String namespace,
      SortedSet<String> services,
      Duration watchTime,
      Listener listener) {
    this.loop = loop;
    this.client = client;
    this.random = random;
    this.backoff = new Backoff(random, MAX_BACKOFF);
    this.namespace = namespace;
    this.services = services;
    this.watchTime = watchTime;
    this.listener = listener;
  }

  void start() {
    loop.checkInside();
    startedAt = loop.nanoTime();
    isOpen = false;
    version.ifPresentOrElse(this::watch, this::list);
  }

  void close() {
    closed = true;
    end();
  }

  private void end() {
    call.ifPresent(ApiClient.Call::cancel);
    timer.cancel();
    call = Optional.empty();
  }

  private void list() {
    // With a version, the server answers from its memory, but with nothing older than that version;
    // after 410 the memory may be too old as well
    String from = isExpired ? "" : "&resourceVersion=" + encoded(newest);
    call = Optional.of(client.get(path(from), this::onList));
  }

  private void watch(String from) {
    long least = watchTime.toSeconds();
    long seconds = least + random.nextLong(least, RandomSource.Purpose.BACKOFF_JITTER);
    call =
        Optional.of(
            client.watch(
                path(
                    "&watch=true&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%s"
                        .formatted(seconds, encoded(from))),
                this::onOpen,
                this::onEvent,
                this::onWatchEnd));
    watchLimit = Duration.ofMillis(seconds * 10 * (100 + GRACE_PERCENT));
    limit(ApiClient.TIME_LIMIT);
  }

  private void limit(Duration limit) {
    timer = loop.schedule(limit, this::onTimeout);
  }

  private void onTimeout() {
    client.reconnect();
    if (isOpen) {
      restQuietly();
    } else {
      rest("watch", "it does not answer");
    }
  }

  private String path(String parameters) {
    String selector =
        services.size() == 1
            ? EndpointSlice.SERVICE_LABEL + "=" + services.first()
            : EndpointSlice.SERVICE_LABEL + " in (" + String.join(",", services) + ")";
    return "/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices?labelSelector=%s%s"
        .formatted(namespace, encoded(selector), parameters);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void onList(Outcome<Answer> answer) {
    if (!isAccepted(answer)) {
      // 410 and 504: the server no longer knows this version; the next list names none
      isExpired |= has(answer, GONE) || has(answer, TIMEOUT);
      rest("list", refusal("list", answer));
      return;
    }
    try {
      onList(SliceList.read(answer.toOptional().orElseThrow().body()));
    } catch (IOException unreadable) {
      rest("list", String.valueOf(unreadable.getMessage()));
    }
  }

  private void onList(SliceList list) {
    Map<String, EndpointSlice> before = Map.copyOf(slices);
    slices.clear();
    list.slices().stream().filter(this::isWanted).forEach(slice -> slices.put(slice.name(), slice));
    before.values().stream()
        .filter(slice -> !slice.equals(slices.get(slice.name())))
        .forEach(slice -> changed.add(slice.service()));
    slices.values().stream()
        .filter(slice -> !slice.equals(before.get(slice.name())))
        .forEach(slice -> changed.add(slice.service()));
    if (!isListed) {
      changed.addAll(services);
    }
    isListed = true;
    isExpired = false;
    version = Optional.of(list.version());
    publish();
    end();
    start();
  }

  private boolean isWanted(EndpointSlice slice) {
    return services.contains(slice.service());
  }

  private void onOpen() {
    isOpen = true;
    timer.cancel();
    limit(watchLimit);
    if (problem.isPresent()) {
      problem = Optional.empty();
      changed.addAll(services);
      publishLater();
    }
  }

  private void onEvent(byte[] line) {
    Optional<JsonObject> event = SecretJson.object(line);
    if (event.isEmpty()) {
      return; // a blank line, or a line that the end of the watch has cut
    }
    backoff.reset(); // a watch that only opens and ends is not started in a loop
    JsonObject object = ApiJson.object(event.get(), "object");
    String type = ApiJson.text(event.get(), "type");
    switch (type) {
      case "ADDED", "MODIFIED" -> put(EndpointSlice.read(object));
      case "DELETED" -> remove(EndpointSlice.read(object));
      case "BOOKMARK" -> onVersion(EndpointSlice.read(object));
      case "ERROR" -> onWatchEnd(Outcome.ok(new Answer(ApiJson.number(object, "code"), line)));
      default -> {} // a type of a later version
    }
  }

  private void onVersion(EndpointSlice slice) {
    if (!slice.version().isEmpty()) {
      version = Optional.of(slice.version());
    }
  }

  private void put(EndpointSlice slice) {
    onVersion(slice);
    if (isWanted(slice)) {
      EndpointSlice before = slices.put(slice.name(), slice);
      if (before != null) {
        changed.add(before.service());
      }
      changed.add(slice.service());
      publishLater();
    } else {
      remove(slice);
    }
  }

  private void remove(EndpointSlice slice) {
    onVersion(slice);
    EndpointSlice before = slices.remove(slice.name());
    if (before != null) {
      changed.add(before.service());
      publishLater();
    }
  }

  private void onWatchEnd(Outcome<Answer> answer) {
    boolean isGone = has(answer, GONE);
    boolean isTooLong = answer.status().code() == RpcStatus.Code.RESOURCE_EXHAUSTED;
    if ((!isAccepted(answer) && answer.isOk()) || isTooLong) {
      newest = version.orElse(newest);
      version = Optional.empty(); // the next list shows what is out of date
    }
    isExpired = isGone;
    if ((isOpen && !isTooLong) || isGone) {
      restQuietly(); // servers end watches now and then
    } else {
      rest("watch", refusal("watch", answer));
    }
  }

  private void rest(String verb, String reason) {
    RpcStatus status =
        RpcStatus.unavailable(
            "kubernetes API server %s: cannot %s endpointslices in namespace \"%s\": %s"
                .formatted(client.server(), verb, namespace, reason));
    if (!problem.equals(Optional.of(status))) {
      problem = Optional.of(status);
      changed.addAll(services);
      publish();
    }
    restQuietly();
  }

  private void restQuietly() {
    end();
    if (!closed) {
      Duration spent = Duration.ofNanos(loop.nanoTime() - startedAt);
      timer = loop.schedule(backoff.next().minus(spent), this::start);
    }
  }

  private static boolean isAccepted(Outcome<Answer> answer) {
    return has(answer, ApiClient.OK);
  }

  private static boolean has(Outcome<Answer> answer, int status) {
    return answer.toOptional().filter(end -> end.status() == status).isPresent();
  }

  private String refusal(String verb, Outcome<Answer> answer) {
    return answer.match(
        response -> {
          String said =
              SecretJson.object(response.body())
                  .map(status -> ApiJson.text(status, "message"))
                  .filter(message -> !message.isEmpty())
                  .map(message -> ": " + PlainText.of(message))
                  .orElse("");
          String text =
              response.status()
                  + (said.length() > MAX_MESSAGE ? said.substring(0, MAX_MESSAGE) + "…" : said);
          return switch (response.status()) {
            case 401 -> text + "; the credentials have expired, or are those of another cluster";
            case 403 ->
                text
                    + "; give the service account a Role with the verbs get, list and watch on"
                    + " endpointslices of discovery.k8s.io (it lacks "
                    + verb
                    + ")";
            case 301, 302, 303, 307, 308 ->
                text + "; it redirects to another server; give the address of the API server";
            default -> text;
          };
        },
        RpcStatus::message);
  }

  /** Publishes when the events that have arrived together are all applied, at the pace. */
  private void publishLater() {
    if (!isPublishing) {
      isPublishing = true;
      loop.schedule(PACE.minusNanos(loop.nanoTime() - publishedAt), this::publish);
    }
  }

  private void publish() {
    isPublishing = false;
    publishedAt = loop.nanoTime();
    List<String> due = List.copyOf(changed);
    changed.clear();
    if (closed) {
      return;
    }
    for (String service : due) {
      listener.onSlices(
          service,
          isListed
              ? Optional.of(
                  slices.values().stream()
                      .filter(slice -> slice.service().equals(service))
                      .collect(Collectors.toList()))
              : Optional.empty(),
          problem);
    }
  }
}
