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
import java.util.SortedMap;

/**
 * Keeps the EndpointSlices of some services of one namespace up to date for their publishers, on
 * the loop of this package.
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
  private static final int MAX_MESSAGE = 300;

  private final ControlLoop loop;
  private final ApiClient client;
  private final RandomSource random;
  private final Backoff backoff;
  private final String namespace;
  private final SortedMap<String, List<ServicePublisher>> publishers; // by service
  private final Duration watchTime;
  private final Map<String, EndpointSlice> slices = new HashMap<>();
  private final Set<String> changed = new HashSet<>();
  private Optional<String> version = Optional.empty();

  private boolean isListed;
  private boolean isPublishing;
  private boolean isOpen;
  private long startedAt;
  private long publishedAt;
  private Optional<RpcStatus> problem = Optional.empty();
  private Optional<ApiClient.Call> call = Optional.empty();
  private TimerHandle timer = () -> {};

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
      SortedMap<String, List<ServicePublisher>> publishers,
      Duration watchTime) {
    this.loop = loop;
    this.client = client;
    this.random = random;
    this.backoff = new Backoff(random, MAX_BACKOFF);
    this.namespace = namespace;
    this.publishers = publishers;
    this.watchTime = watchTime;
  }

  void start() {
    loop.checkInside();
    startedAt = loop.nanoTime();
    isOpen = false;
    call = Optional.of(version.map(this::watch).orElseGet(this::list));
  }

  /** Ends the requests. */
  void close() {
    call.ifPresent(ApiClient.Call::cancel);
    timer.cancel();
  }

  /**
   * Any version is good enough for the first list, so the server answers from its memory. A later
   * list must not be older than the slices in use.
   */
  private ApiClient.Call list() {
    return client.get(path(isListed ? "" : "&resourceVersion=0"), this::onList);
  }

  private ApiClient.Call watch(String from) {
    long least = watchTime.toSeconds();
    long seconds = least + random.nextLong(least, RandomSource.Purpose.BACKOFF_JITTER);
    return client.watch(
        path(
            "&watch=true&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%s"
                .formatted(seconds, encoded(from))),
        Duration.ofMillis(seconds * 10 * (100 + GRACE_PERCENT)),
        this::onOpen,
        this::onEvent,
        this::onWatchEnd);
  }

  private String path(String parameters) {
    String selector =
        publishers.size() == 1
            ? EndpointSlice.SERVICE_LABEL + "=" + publishers.firstKey()
            : EndpointSlice.SERVICE_LABEL + " in (" + String.join(",", publishers.keySet()) + ")";
    return "/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices?labelSelector=%s%s"
        .formatted(namespace, encoded(selector), parameters);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void onList(Outcome<Answer> answer) {
    if (!has(answer, ApiClient.OK)) {
      rest("list", refusal("list", answer));
      return;
    }
    SliceList list;
    try {
      list = SliceList.read(answer.toOptional().orElseThrow().body());
    } catch (IOException unreadable) {
      rest("list", String.valueOf(unreadable.getMessage()));
      return;
    }
    slices.clear();
    list.slices().stream().filter(this::isWanted).forEach(slice -> slices.put(slice.name(), slice));
    isListed = true;
    version = Optional.of(list.version());
    changed.addAll(publishers.keySet());
    publish();
    start();
  }

  private boolean isWanted(EndpointSlice slice) {
    return publishers.containsKey(slice.service());
  }

  private void onOpen() {
    isOpen = true;
    if (problem.isPresent()) {
      problem = Optional.empty();
      changed.addAll(publishers.keySet());
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
    remove(slice); // it may have been of another service
    if (isWanted(slice)) {
      slices.put(slice.name(), slice);
      changed.add(slice.service());
      publishLater();
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
    if (isTooLong || (answer.isOk() && !has(answer, ApiClient.OK))) {
      version = Optional.empty(); // the next list shows what is out of date
    }
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
      changed.addAll(publishers.keySet());
      publish();
    }
    restQuietly();
  }

  private void restQuietly() {
    close();
    Duration spent = Duration.ofNanos(loop.nanoTime() - startedAt);
    timer = loop.schedule(backoff.next().minus(spent), this::start);
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
    for (String service : changed) {
      Optional<Collection<EndpointSlice>> known =
          isListed
              ? Optional.of(
                  slices.values().stream()
                      .filter(slice -> slice.service().equals(service))
                      .toList())
              : Optional.empty();
      publishers.getOrDefault(service, List.of()).forEach(each -> each.publish(known, problem));
    }
    changed.clear();
  }
}
