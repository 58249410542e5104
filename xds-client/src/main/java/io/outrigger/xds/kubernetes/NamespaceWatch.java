package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.identity.certificate.SecretJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the EndpointSlices of some services of one namespace up to date for their publishers, on a
 * thread of its own: lists the slices, and watches them from the version of the list. When a watch
 * ends, the next watch continues from the last version; when that version is too old (410), or
 * watching is refused, a list comes first. Back-off is measured from the start of the requests.
 *
 * <p>One watch serves all services of the namespace, so that the API server has one watch instead
 * of one for each service, and one connection is enough over HTTP/1.1 as well. Slices stay in use
 * until a list or an event says otherwise, whatever fails.
 */
@ControlConfined
final class NamespaceWatch implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(NamespaceWatch.class);

  /** The longest pause between requests, so that a server that is back is used soon. */
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(30);

  /** The least time between two changes of endpoints, each of which costs all endpoints. */
  private static final Duration PACE = Duration.ofMillis(100);

  /** The watch time while a Service is to be read again, before the next watch. */
  private static final Duration RETRY = Duration.ofSeconds(10);

  /** How long a watch may continue beyond its time, as a percentage of that time. */
  private static final int GRACE_PERCENT = 25;

  /** This many events are applied at most before endpoints change. */
  private static final int MAX_GATHERED = 1_000;

  private static final int GONE = 410;

  private final ControlLoop loop;
  private final ApiClient client;
  private final RandomSource random;
  private final Backoff backoff;
  private final String namespace;
  private final SortedMap<String, List<ServicePublisher>> publishers; // by service
  private final Duration watchTime;
  private final Map<String, EndpointSlice> slices = new HashMap<>(); // by name
  private final Set<String> changed = new HashSet<>(); // services
  private Optional<String> version = Optional.empty(); // empty before a list
  private Optional<RpcStatus> problem = Optional.empty();
  private boolean isListed;
  private boolean isOpen; // the watch
  private long publishedAt;

  /**
   * @param loop the clock and its timers
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

  /** Runs until the thread is interrupted. */
  @Override
  public void run() {
    try {
      while (true) {
        long startedAt = loop.nanoTime();
        try {
          listAndWatch();
        } catch (RuntimeException bug) {
          log.error("the watch of endpointslices has failed", bug);
        }
        pause(backoff.next().minusNanos(loop.nanoTime() - startedAt));
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void pause(Duration time) throws InterruptedException {
    var isOver = new Semaphore(0);
    loop.schedule(time, isOver::release);
    isOver.acquire();
  }

  private void listAndWatch() throws InterruptedException {
    isOpen = false;
    boolean isListing = version.isEmpty();
    try {
      if (isListing) {
        list();
        isListing = false;
      }
      unresolved().forEach(each -> changed.add(each.target().service()));
      publish();
      watch();
    } catch (ApiClient.Failure failure) {
      boolean isTooLong = failure.status == ApiClient.OK;
      if (isListing) {
        report("list", failure);
      } else if (isTooLong || (!isOpen && failure.status != GONE)) { // others are usual
        report("watch", failure);
      }
      if (failure.status != 0) {
        version = Optional.empty(); // the next list shows what is out of date
      }
    }
    publish();
  }

  /**
   * Any version is good enough for the first list, so the server answers from its memory. A later
   * list must not be older than the slices in use.
   */
  private void list() throws ApiClient.Failure, InterruptedException {
    client.get(
        path(isListed ? "" : "&resourceVersion=0"),
        ApiClient.TIME_LIMIT,
        body -> onList(ApiClient.all(body)));
    changed.addAll(publishers.keySet());
  }

  private void onList(byte[] json) throws ApiClient.Failure {
    EndpointSlice.Listed list = EndpointSlice.readList(json);
    slices.clear();
    list.slices().stream().filter(this::isWanted).forEach(slice -> slices.put(slice.name(), slice));
    version = Optional.of(list.version());
    isListed = true;
  }

  private boolean isWanted(EndpointSlice slice) {
    return publishers.containsKey(slice.service());
  }

  private Stream<ServicePublisher> unresolved() {
    return publishers.values().stream()
        .flatMap(List::stream)
        .filter(ServicePublisher::isUnresolved);
  }

  /** Watches until the watch ends. */
  private void watch() throws ApiClient.Failure, InterruptedException {
    long least = unresolved().findAny().map(each -> RETRY).orElse(watchTime).toSeconds();
    long seconds = least + random.nextLong(least, RandomSource.Purpose.BACKOFF_JITTER);
    client.get(
        path(
            "&watch=true&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%s"
                .formatted(seconds, encoded(version.orElseThrow()))),
        Duration.ofMillis(seconds * 10 * (100 + GRACE_PERCENT)),
        this::readEvents);
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

  /** Applies the events; those that have arrived together are one change of endpoints. */
  private void readEvents(InputStream body) throws IOException, InterruptedException {
    isOpen = true;
    if (problem.isPresent()) {
      problem = Optional.empty();
      changed.addAll(publishers.keySet());
      publish();
    }
    int gathered = 0;
    for (var line = ApiClient.line(body); line.isPresent(); line = ApiClient.line(body)) {
      SecretJson.object(line.get()).ifPresent(this::onEvent); // a blank line is no event
      if (version.isEmpty()) {
        return;
      }
      gathered++;
      if (!changed.isEmpty() && (body.available() == 0 || gathered >= MAX_GATHERED)) {
        pause(PACE.minusNanos(loop.nanoTime() - publishedAt));
        publish();
        gathered = 0;
      }
    }
  }

  private void onEvent(JsonObject event) {
    backoff.reset(); // a watch that only opens and ends is not started in a loop
    String type = ApiJson.text(event, "type");
    switch (type) {
      case "ADDED", "MODIFIED", "DELETED", "BOOKMARK" ->
          replace(EndpointSlice.read(ApiJson.object(event, "object")), type.equals("DELETED"));
      case "ERROR" -> version = Optional.empty(); // the next list shows what is out of date
      default -> {} // a type of a later version
    }
  }

  private void replace(EndpointSlice slice, boolean isDeleted) {
    if (!slice.version().isEmpty()) {
      version = Optional.of(slice.version());
    }
    EndpointSlice before = slices.remove(slice.name());
    if (before != null) {
      changed.add(before.service()); // which may be another service
    }
    if (!isDeleted && isWanted(slice)) { // a bookmark has no service
      slices.put(slice.name(), slice);
      changed.add(slice.service());
    }
  }

  /** Tells the publishers that {@code verb} has failed. */
  private void report(String verb, ApiClient.Failure failure) {
    String reason = failure.reason() + remedy(verb, failure.status);
    problem =
        Optional.of(
            RpcStatus.unavailable(
                "kubernetes API server %s: cannot %s endpointslices in namespace \"%s\": %s"
                    .formatted(client.server(), verb, namespace, reason)));
    changed.addAll(publishers.keySet());
  }

  private static String remedy(String verb, int status) {
    return switch (status) {
      case 401 -> "; the credentials have expired, or are those of another cluster";
      case 403 ->
          "; give the service account a Role with the verbs get, list and watch on endpointslices"
              + " of discovery.k8s.io (it lacks %s)".formatted(verb);
      case 301, 302, 303, 307, 308 ->
          "; it redirects to another server; give the address of the API server";
      default -> "";
    };
  }

  private void publish() throws InterruptedException {
    if (changed.isEmpty()) {
      return;
    }
    publishedAt = loop.nanoTime();
    for (String service : changed) {
      List<EndpointSlice> ofService =
          slices.values().stream().filter(slice -> slice.service().equals(service)).toList();
      for (ServicePublisher each : publishers.getOrDefault(service, List.of())) {
        each.publish(Optional.of(ofService).filter(known -> isListed), problem);
      }
    }
    changed.clear();
  }
}
