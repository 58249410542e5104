package io.outrigger.xds.deps;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.xds.ResourceWatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps one DNS name resolved.
 *
 * <pre>
 * RUNNING  -> RESTING   on addresses; a request is due after 30 s at the earliest, a refresh after
 *                       its interval
 * RUNNING  -> WAITING   on failure or timeout, until the backoff has elapsed
 * RESTING  -> RUNNING   on a request for re-resolution, when due
 * RESTING  -> WAITING   on a request for re-resolution, until due
 * RESTING  -> RUNNING   on the refresh timer
 * WAITING  -> RUNNING   on the timer
 * any      -> CLOSED    on close
 * </pre>
 */
@ControlConfined
public final class DnsName {
  static final Duration MIN_INTERVAL = Duration.ofSeconds(30); // A37-05

  /** The maximum TTL of addresses; a longer TTL is shortened (decision xds-0078). */
  static final Duration MAX_TTL = Duration.ofMinutes(5);

  private static final int REFRESH_JITTER_PERCENT = 10;

  /**
   * The maximum time that a configuration waits for the first DNS answer. Without a limit, an
   * unresponsive name server would delay other clusters (A37-08). An answer after the timeout is
   * used too. With the defaults of resolv.conf, a query to two unresponsive servers takes 10 s.
   */
  static final Duration FIRST_ANSWER_TIMEOUT = Duration.ofSeconds(11);

  /** Ends a lookup that hangs. By resolv.conf(5), one candidate name may take up to 15 min. */
  static final Duration LOOKUP_TIMEOUT = Duration.ofHours(1);

  private static final Locality UNNAMED = new Locality("", "", ""); // A37-02: for all addresses

  private enum State {
    RUNNING,
    RESTING,
    WAITING,
    CLOSED
  }

  private final ControlLoop loop;
  private final DnsLookup dns;
  private final ClusterSource.Dns name;
  private final ResourceWatcher<EndpointSet> watcher;
  private final RandomSource random;
  private final Duration refreshInterval;
  private final Backoff backoff;
  private State state = State.WAITING;
  private Optional<EndpointSet> known = Optional.empty();
  private Set<EndpointAddress> addresses = Set.of();
  private long answeredAt;
  private Duration untilRefresh = Duration.ZERO;
  private Runnable cancelQuery = () -> {};
  private TimerHandle timer = () -> {};
  private TimerHandle firstAnswerTimer = () -> {};

  /**
   * @param refreshInterval the interval of periodic lookups; zero means no periodic lookups
   */
  public DnsName(
      ControlLoop loop,
      DnsLookup dns,
      RandomSource random,
      Duration refreshInterval,
      ClusterSource.Dns name,
      ResourceWatcher<EndpointSet> watcher) {
    this.loop = loop;
    this.dns = dns;
    this.name = name;
    this.watcher = watcher;
    this.random = random;
    this.refreshInterval = refreshInterval;
    this.backoff = new Backoff(random);
  }

  public void start() {
    firstAnswerTimer = loop.schedule(FIRST_ANSWER_TIMEOUT, this::onFirstAnswerTimeout);
    run();
  }

  /** Resolves the name again after the minimum interval (A37-09, A74). */
  public void requestReresolution() {
    if (state != State.RESTING) {
      return; // a lookup is running or scheduled
    }
    Duration remaining = MIN_INTERVAL.minusNanos(loop.nanoTime() - answeredAt);
    if (remaining.isNegative() || remaining.isZero()) {
      run();
    } else if (untilRefresh.isZero() || untilRefresh.compareTo(MIN_INTERVAL) > 0) {
      waitFor(remaining);
    } // otherwise the refresh is due first
  }

  public void close() {
    state = State.CLOSED;
    cancelQuery.run();
    timer.cancel();
    firstAnswerTimer.cancel();
  }

  private void run() {
    timer.cancel();
    state = State.RUNNING;
    timer = loop.schedule(LOOKUP_TIMEOUT, this::onTimeout);
    cancelQuery = dns.resolve(name.hostname(), name.port(), this::onAnswer);
  }

  /** Ends a lookup that gave no answer, because the next lookup starts only after its end. */
  private void onTimeout() {
    cancelQuery.run();
    String reason = "no answer within " + LOOKUP_TIMEOUT.toMinutes() + " min";
    onAnswer(Outcome.failed(RpcStatus.unavailable(reason)));
  }

  private void waitFor(Duration delay) {
    timer.cancel();
    state = State.WAITING;
    timer = loop.schedule(delay, this::run);
  }

  private void onAnswer(Outcome<DnsLookup.Answer> answer) {
    if (state != State.RUNNING) {
      return; // closed before the answer
    }
    cancelQuery = () -> {};
    timer.cancel();
    firstAnswerTimer.cancel();
    answer.toOptional().ifPresentOrElse(this::onAddresses, () -> onFailure(answer.status()));
  }

  private void onAddresses(DnsLookup.Answer answer) {
    backoff.reset();
    answeredAt = loop.nanoTime();
    state = State.RESTING;
    untilRefresh = untilRefresh(answer.ttl());
    if (!untilRefresh.isZero()) {
      timer = loop.schedule(untilRefresh, this::run);
    }
    List<EndpointAddress> all = withUnansweredFamily(answer);
    Set<EndpointAddress> now = Set.copyOf(all);
    if (known.isEmpty() || !now.equals(addresses)) { // name servers rotate the order
      addresses = now;
      known = Optional.of(endpoints(all));
    }
    watcher.onChanged(Outcome.ok(known.get()));
  }

  /** Keeps the earlier addresses of an address family whose lookup has failed. */
  private List<EndpointAddress> withUnansweredFamily(DnsLookup.Answer answer) {
    List<EndpointAddress> all = new ArrayList<>(answer.addresses());
    if (answer.isPartial()) {
      addresses.stream()
          .filter(old -> answer.addresses().stream().noneMatch(found -> isIp6(found) == isIp6(old)))
          .forEach(all::add);
    }
    return all;
  }

  private static boolean isIp6(EndpointAddress address) {
    return address.ip().contains(":");
  }

  private Duration untilRefresh(Duration ttl) {
    if (refreshInterval.isZero()) {
      return Duration.ZERO;
    }
    long spread = refreshInterval.toNanos() / 100 * REFRESH_JITTER_PERCENT;
    long jitter = random.nextLong(2 * spread + 1, RandomSource.Purpose.DNS_REFRESH);
    Duration interval = refreshInterval.plusNanos(jitter - spread);
    Duration minimum = ttl.compareTo(MAX_TTL) < 0 ? ttl : MAX_TTL;
    return interval.compareTo(minimum) < 0 ? minimum : interval;
  }

  private void onFailure(RpcStatus failure) {
    Duration delay = backoff.next();
    boolean isLonger = !refreshInterval.isZero() && delay.compareTo(refreshInterval) > 0;
    waitFor(isLonger ? untilRefresh(Duration.ZERO) : delay); // an outage delays no refresh
    RpcStatus error = unavailable(ResolutionNotes.text(failure));
    if (known.isPresent()) {
      watcher.onAmbientError(error); // A37-04, A88-45
    } else {
      watcher.onChanged(Outcome.failed(error)); // A37-03
    }
  }

  private void onFirstAnswerTimeout() {
    watcher.onChanged(
        Outcome.failed(
            unavailable(
                "no answer after %d s, still waiting; check the name servers of /etc/resolv.conf"
                    .formatted(FIRST_ANSWER_TIMEOUT.toSeconds()))));
  }

  private RpcStatus unavailable(String reason) {
    return RpcStatus.unavailable("DNS name \"" + name + "\": " + reason);
  }

  private EndpointSet endpoints(List<EndpointAddress> addresses) {
    var locality = new LocalityEndpoints(UNNAMED, 1, name.endpoints(addresses));
    return new EndpointSet(name.toString(), List.of(List.of(locality)), List.of());
  }
}
