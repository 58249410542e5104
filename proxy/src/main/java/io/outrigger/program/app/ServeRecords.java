package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PlainText;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.dataplane.serve.ServeObserver;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.metrics.MetricsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts the RBAC decisions and the TLS handshakes of one served address, and writes the audit log
 * of the address. Adds a {@code denied} event at most once per second and policy.
 */
@AnyThread
final class ServeRecords implements ServeObserver {
  /**
   * The maximum number of counters of RBAC decisions, because the control plane may send any number
   * of policies. Further policies, and policies with long names, share one counter per verdict.
   */
  static final int MAX_DECISIONS = 1_000;

  private static final String OTHER = "other";
  private static final long EVENT_PERIOD_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int MAX_PATH = 200;

  private final String serve;
  private final ServingReports reports;
  private final StdoutAuditLog audit;
  private final ControlLoop control;
  private final EventLog events;
  private final LongSupplier nanos;
  private final Map<String, Map<Rbac.Decision, Tally>> decisions = new ConcurrentHashMap<>();
  private final AtomicInteger tallies = new AtomicInteger();
  private final Map<HandshakeResult, LongAdder> handshakes = new ConcurrentHashMap<>();

  private static final class Tally {
    final LongAdder count = new LongAdder();

    final AtomicLong nextEvent;

    /** The value of {@link #count} at the last event. Confined to the control loop. */
    long reported;

    Tally(long now) {
      nextEvent = new AtomicLong(now);
    }
  }

  ServeRecords(
      String serve,
      ServingReports reports,
      StdoutAuditLog audit,
      ControlLoop control,
      EventLog events,
      LongSupplier nanos) {
    this.serve = serve;
    this.reports = reports;
    this.audit = audit;
    this.control = control;
    this.events = events;
    this.nanos = nanos;
  }

  @Override
  public void onState(ServedListener.State state, Optional<String> reason) {
    reports.onState(state, reason.orElse(""));
  }

  @Override
  public void onHandshake(HandshakeResult result) {
    handshakes.computeIfAbsent(result, r -> new LongAdder()).increment();
  }

  @Override
  public void onDecision(FilteredCall call, String filter, Rbac.Decision decision) {
    Tally tally = tally(filter, decision);
    tally.count.increment();
    if (decision.auditLines() > 0) {
      AuthorizationInput input = call.authorization();
      audit.record(input.path(), input.connection().peer(), filter, decision);
    }
    if (!decision.isAllowed()) {
      onDenied(call.authorization(), filter, decision, tally);
    }
  }

  private Tally tally(String filter, Rbac.Decision decision) {
    Map<Rbac.Decision, Tally> ofFilter = decisions.get(filter);
    Tally known = ofFilter == null ? null : ofFilter.get(decision);
    if (known != null) {
      return known;
    }
    int length = filter.length() + decision.policy().orElse("").length();
    if (length > MethodStats.MAX_NAMES
        || tallies.getAndUpdate(count -> Math.min(count + 1, MAX_DECISIONS)) == MAX_DECISIONS) {
      var other = new Rbac.Decision(decision.isAllowed(), Optional.of(OTHER), 0);
      return added(OTHER, other);
    }
    return added(filter, decision);
  }

  private Tally added(String filter, Rbac.Decision decision) {
    return decisions
        .computeIfAbsent(filter, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(decision, key -> new Tally(nanos.getAsLong()));
  }

  private void onDenied(
      AuthorizationInput input, String filter, Rbac.Decision decision, Tally tally) {
    long now = nanos.getAsLong();
    long next = tally.nextEvent.get();
    if (now - next < 0 || !tally.nextEvent.compareAndSet(next, now + EVENT_PERIOD_NANOS)) {
      return;
    }
    String text =
        "%s from %s (%s): %s of filter \"%s\""
            .formatted(
                PlainText.shortened(input.path(), MAX_PATH),
                input.connection().peer().name().orElse("a peer without a certificate"),
                input.connection().peerAddress(),
                decision.policy().map(name -> "policy \"" + name + "\"").orElse("no policy"),
                filter);
    control.execute(() -> addEvent(text, tally));
  }

  private void addEvent(String text, Tally tally) {
    long count = tally.count.sum();
    long unreported = count - tally.reported - 1;
    tally.reported = count;
    String more = unreported > 0 ? "; " + unreported + " more since the last event" : "";
    events.add(EventKind.DENIED, serve, text + more);
  }

  List<MetricsView.Decisions> decisions() {
    List<MetricsView.Decisions> all = new ArrayList<>();
    decisions.forEach(
        (filter, byDecision) ->
            byDecision.forEach(
                (decision, tally) ->
                    all.add(
                        new MetricsView.Decisions(
                            filter,
                            decision.policy().orElse(""),
                            decision.isAllowed(),
                            tally.count.sum()))));
    return all;
  }

  Map<HandshakeResult, Long> handshakes() {
    Map<HandshakeResult, Long> counts = new EnumMap<>(HandshakeResult.class);
    handshakes.forEach((result, count) -> counts.put(result, count.sum()));
    return counts;
  }
}
