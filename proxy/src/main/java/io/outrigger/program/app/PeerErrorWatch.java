package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.http2.PeerErrors;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports errors of peers in the log and as events, at most once a second. */
@ControlConfined
final class PeerErrorWatch {
  private static final Logger log = LoggerFactory.getLogger(PeerErrorWatch.class);

  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final ControlLoop control;
  private final PeerErrors errors;
  private final EventLog events;
  private long reported;

  PeerErrorWatch(ControlLoop control, PeerErrors errors, EventLog events) {
    this.control = control;
    this.errors = errors;
    this.events = events;
  }

  void start() {
    control.checkInside();
    control.schedule(PERIOD, this::poll);
  }

  private void poll() {
    errors.takeLast().ifPresent(this::report);
    control.schedule(PERIOD, this::poll);
  }

  private void report(String last) {
    long count = errors.count();
    long others = count - reported - 1;
    reported = count;
    String text = others > 0 ? last + " (and " + others + " more errors of peers)" : last;
    log.warn("{}", text);
    events.add(EventKind.PEER_ERROR, "", "peers", new Event.Line(text));
  }
}
