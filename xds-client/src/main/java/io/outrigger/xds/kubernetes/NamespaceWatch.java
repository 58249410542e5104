package io.outrigger.xds.kubernetes;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.kubernetes.ApiClient.Answer;
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
 * Watches the EndpointSlices of one namespace and passes them to the publishers of their services,
 * on the thread {@code kubernetes}.
 *
 * <pre>
 * LISTING  -> WATCHING  on the list
 * LISTING  -> WAITING   on failure; the next request is a list
 * WATCHING -> WAITING   on the end of the watch; the next request is a watch from the last version,
 *                       or a list if that version is too old (410) or watching is refused
 * WAITING  -> LISTING or WATCHING  on the timer: back-off measured from the start of the request
 * any      -> CLOSED    on close
 * </pre>
 *
 * <p>One watch serves all services of the namespace, so that one connection is enough over HTTP/1.1
 * as well. A failure of a request removes no slice.
 */
@ControlConfined
final class NamespaceWatch {
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

  /** The server may exceed the requested duration of a watch by this percentage. */
  private static final int GRACE_PERCENT = 25;

  /** The minimum time between two updates, because each update computes all endpoints again. */
  private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

  private static final int GONE = 410;
  private static final int MAX_MESSAGE = 300;

  private final ControlLoop loop;
  private final ApiClient client;
  private final RandomSource random;
  private final Backoff backoff;
  private final String namespace;
  private final SortedMap<String, List<ServicePublisher>> publishers; // by the name of a service
  private final Duration watchTime;
  private final Map<String, EndpointSlice> slices = new HashMap<>();
  private final Set<String> changed = new HashSet<>();
  private Optional<String> version = Optional.empty();

  private final OneTimer next; // starts a request
  private final OneTimer publishing;

  private boolean isListed;
  private boolean isOpen;
  private long startedAt;
  private long publishedAt;
  private Optional<RpcStatus> problem = Optional.empty();
  private Optional<ApiClient.Call> call = Optional.empty();

  /**
   * @param watchTime the minimum duration of a watch; must be 1 s or longer. The server ends each
   *     watch after a random time of up to twice the minimum, so that sidecars do not send requests
   *     at the same moment. A watch that the server does not end in time fails, because its
   *     connection must be dead
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
    this.next = new OneTimer(loop);
    this.publishing = new OneTimer(loop);
  }

  void start() {
    loop.checkInside();
    startedAt = loop.nanoTime();
    isOpen = false;
    call = Optional.of(version.map(this::watch).orElseGet(this::list));
  }

  void close() {
    call.ifPresent(ApiClient.Call::cancel);
    next.stop();
    publishing.stop();
  }

  /**
   * The first list (resourceVersion=0) may be of any age, so the server answers from its cache.
   * Later lists must be at least as new as the slices in use.
   */
  private ApiClient.Call list() {
    return client.get(path(isListed ? "" : "&resourceVersion=0"), this::onList);
  }

  private ApiClient.Call watch(String from) {
    long minimum = watchTime.toSeconds();
    long seconds = minimum + random.nextLong(minimum, RandomSource.Purpose.BACKOFF_JITTER);
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
        EndpointSlice.SERVICE_LABEL + " in (" + String.join(",", publishers.keySet()) + ")";
    return "/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices?labelSelector=%s%s"
        .formatted(namespace, encoded(selector), parameters);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void onList(Outcome<Answer> answer) {
    if (!hasStatus(answer, ApiClient.OK)) {
      fail("list", reason("list", answer));
      return;
    }
    Optional<ApiObject> list =
        answer
            .toOptional()
            .flatMap(response -> ApiObject.read(response.body()))
            .filter(read -> !read.slice().version().isEmpty()); // unlike the {} of a gateway
    if (list.isEmpty()) {
      fail("list", "its answer is no list of EndpointSlices");
      return;
    }
    slices.clear();
    list.get().items().stream()
        .filter(this::isWanted)
        .forEach(slice -> slices.put(slice.name(), slice));
    isListed = true;
    version = Optional.of(list.get().slice().version());
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
    ApiObject event = ApiObject.read(line).orElse(null);
    if (event == null) {
      return; // a blank line, or a line that the end of the watch has truncated
    }
    backoff.reset(); // not in onOpen, because a server may end each watch at once
    switch (event.type()) {
      case "ADDED", "MODIFIED" -> put(event.slice());
      case "DELETED" -> remove(event.slice());
      case "BOOKMARK" -> onVersion(event.slice());
      case "ERROR" -> onWatchEnd(Outcome.ok(new Answer(event.code(), line)));
      default -> {} // events of later API versions are ignored
    }
  }

  private void onVersion(EndpointSlice slice) {
    if (!slice.version().isEmpty()) {
      version = Optional.of(slice.version());
    }
  }

  private void put(EndpointSlice slice) {
    remove(slice); // the slice may have belonged to another service
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
    boolean isGone = hasStatus(answer, GONE);
    boolean isTooLong = answer.status().code() == RpcStatus.Code.RESOURCE_EXHAUSTED;
    if (isTooLong || (answer.isOk() && !hasStatus(answer, ApiClient.OK))) {
      version = Optional.empty(); // the next request is a list
    }
    if ((isOpen && !isTooLong) || isGone) {
      startLater(); // the end of an open watch is no failure
    } else {
      fail("watch", reason("watch", answer));
    }
  }

  private void fail(String verb, String reason) {
    RpcStatus status =
        RpcStatus.unavailable(
            "kubernetes API server %s: cannot %s endpointslices in namespace \"%s\": %s"
                .formatted(client.server(), verb, namespace, reason));
    if (!problem.equals(Optional.of(status))) {
      problem = Optional.of(status);
      changed.addAll(publishers.keySet());
      publish();
    }
    startLater();
  }

  private void startLater() {
    call.ifPresent(ApiClient.Call::cancel);
    next.start(backoff.next().minusNanos(loop.nanoTime() - startedAt), this::start);
  }

  private static boolean hasStatus(Outcome<Answer> answer, int status) {
    return answer.toOptional().filter(response -> response.status() == status).isPresent();
  }

  private String reason(String verb, Outcome<Answer> answer) {
    return answer.match(
        response -> {
          String message =
              ApiObject.read(response.body())
                  .map(ApiObject::message)
                  .filter(text -> !text.isEmpty())
                  .map(text -> ": " + PlainText.of(text))
                  .orElse("");
          String text = response.status() + PlainText.shortened(message, MAX_MESSAGE);
          return switch (response.status()) {
            case 401 -> text + "; the credentials have expired, or are those of another cluster";
            case 403 ->
                ("%s; give the service account a Role with the verbs get, list and watch on"
                        + " endpointslices of discovery.k8s.io (it lacks %s)")
                    .formatted(text, verb);
            case 301, 302, 303, 307, 308 ->
                text + "; it redirects to another server; give the address of the API server";
            default -> text;
          };
        },
        RpcStatus::message);
  }

  private void publishLater() {
    if (!publishing.isRunning()) {
      publishing.start(MIN_INTERVAL.minusNanos(loop.nanoTime() - publishedAt), this::publish);
    }
  }

  private void publish() {
    publishing.stop();
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
