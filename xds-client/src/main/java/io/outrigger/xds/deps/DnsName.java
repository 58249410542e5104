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
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One DNS name that is kept resolved.
 *
 * <pre>
 * RUNNING  -> RESTING   on addresses; a request is due 30 s later at the earliest
 * RUNNING  -> WAITING   on failure; until the back-off has passed
 * RESTING  -> RUNNING   on a request for re-resolution that is due
 * RESTING  -> WAITING   on a request that is not due; until it is
 * WAITING  -> RUNNING   on the timer
 * any      -> CLOSED    on close
 * </pre>
 */
@ControlConfined
final class DnsName {
  static final Duration MIN_INTERVAL = Duration.ofSeconds(30); // A37-05

  /**
   * The time that a configuration waits for the first answer of a name. A name server that hangs
   * must not hold up other clusters (A37-08); a later answer counts as well. The time is longer
   * than two silent servers take at the default timeout of resolv.conf, 5 s each.
   */
  static final Duration FIRST_ANSWER = Duration.ofSeconds(11);

  private static final Locality NOWHERE = new Locality("", "", ""); // A37-02

  private enum State {
    RUNNING,
    RESTING,
    WAITING,
    CLOSED
  }

  private final ControlLoop loop;
  private final DnsLookup dns;
  private final ClusterSource.Dns name;
  private final Runnable onChange;
  private final Backoff backoff;
  private State state = State.WAITING;
  private WatchState<EndpointSet> known = WatchState.nothing();
  private long restedAt;
  private Optional<DnsLookup.Query> query = Optional.empty();
  private Optional<TimerHandle> timer = Optional.empty();
  private Optional<TimerHandle> patience = Optional.empty();

  DnsName(
      ControlLoop loop,
      DnsLookup dns,
      RandomSource random,
      ClusterSource.Dns name,
      Runnable onChange) {
    this.loop = loop;
    this.dns = dns;
    this.name = name;
    this.onChange = onChange;
    this.backoff = new Backoff(random);
  }

  WatchState<EndpointSet> known() {
    return known;
  }

  void start() {
    patience = Optional.of(loop.schedule(FIRST_ANSWER, this::onPatienceOver));
    run();
  }

  void requestReresolution() {
    if (state != State.RESTING) {
      return; // a look-up is running or scheduled
    }
    Duration rest = MIN_INTERVAL.minusNanos(loop.nanoTime() - restedAt);
    if (rest.isNegative() || rest.isZero()) {
      run();
    } else {
      waitFor(rest);
    }
  }

  void close() {
    state = State.CLOSED;
    query.ifPresent(DnsLookup.Query::cancel);
    timer.ifPresent(TimerHandle::cancel);
    patience.ifPresent(TimerHandle::cancel);
  }

  private void run() {
    state = State.RUNNING;
    timer = Optional.empty();
    query = Optional.of(dns.resolve(name.hostname(), name.port(), this::onAnswer));
  }

  private void waitFor(Duration delay) {
    state = State.WAITING;
    timer = Optional.of(loop.schedule(delay, this::run));
  }

  private void onAnswer(Outcome<List<EndpointAddress>> answer) {
    if (state != State.RUNNING) {
      return; // closed while the answer was on its way
    }
    query = Optional.empty();
    patience.ifPresent(TimerHandle::cancel);
    WatchState<EndpointSet> before = known;
    answer.toOptional().ifPresentOrElse(this::onAddresses, () -> onFailure(answer.status()));
    if (!known.equals(before)) {
      onChange.run();
    } else {
      known = before; // the same instance for the same answer
    }
  }

  private void onAddresses(List<EndpointAddress> addresses) {
    backoff.reset();
    restedAt = loop.nanoTime();
    state = State.RESTING;
    known = WatchState.of(Outcome.ok(endpoints(addresses)));
  }

  private void onFailure(RpcStatus answer) {
    RpcStatus text = reason(ResolutionNotes.text(answer));
    known =
        known.value().isPresent()
            ? known.withAmbient(text) // A37-04, A88-45
            : WatchState.of(Outcome.failed(text)); // A37-03
    waitFor(backoff.next());
  }

  private void onPatienceOver() {
    if (known.isUnresolved()) {
      known =
          WatchState.of(
              Outcome.failed(
                  reason(
                      "no answer after "
                          + FIRST_ANSWER.toSeconds()
                          + " s, still waiting; check the name servers of /etc/resolv.conf")));
      onChange.run();
    }
  }

  private RpcStatus reason(String text) {
    return RpcStatus.unavailable("DNS name \"" + name + "\": " + text);
  }

  /** All addresses are in one locality without a name (A37-02). */
  private EndpointSet endpoints(List<EndpointAddress> addresses) {
    var locality = new LocalityEndpoints(NOWHERE, 1, name.endpoints(addresses));
    return new EndpointSet(name.toString(), List.of(List.of(locality)), List.of());
  }
}
