package io.outrigger.lb.simulation;

import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.simulation.SimulatedNetwork.SimulatedTransport;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.PickQueue;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * Callers that do not wait for readiness: they arrive at random, pick as the forwarder does, and
 * give up after a second. Between two of their events the control loop does what is due.
 */
final class Traffic {
  private static final long SECOND = 1_000_000_000L;
  private static final long DEADLINE = SECOND;

  private final FakeControlLoop loop;
  private final ClusterHandle handle;
  private final SplittableRandom random;
  private final Tally tally;
  private final Queue<SimulatedCall> woken = new ArrayDeque<>();
  private final PriorityQueue<End> ends =
      new PriorityQueue<>(Comparator.comparingLong(End::nanos).thenComparingLong(End::order));
  private long order;

  /** A call's answer arrives, or its deadline does. */
  private record End(long nanos, long order, SimulatedCall call, CallOutcome outcome) {}

  Traffic(FakeControlLoop loop, ClusterHandle handle, SplittableRandom random, Tally tally) {
    this.loop = loop;
    this.handle = handle;
    this.random = random;
    this.tally = tally;
  }

  /** Calls at {@code perSecond} on average, until {@code untilSecond} of the clock. */
  void run(double perSecond, long untilSecond) {
    long until = untilSecond * SECOND;
    long next = loop.nanoTime() + gap(perSecond);
    while (true) {
      End end = ends.peek();
      if (end != null && end.nanos() <= Math.min(next, until)) {
        advanceTo(end.nanos());
        ends.poll();
        onEnd(end);
      } else if (next <= until) {
        advanceTo(next);
        pick(new SimulatedCall(next, random.nextLong(), woken));
        next += gap(perSecond);
      } else {
        advanceTo(until);
        return;
      }
    }
  }

  /** Arrivals are independent of each other (Poisson). */
  private long gap(double perSecond) {
    return (long) (-StrictMath.log(1 - random.nextDouble()) / perSecond * SECOND);
  }

  private void advanceTo(long nanos) {
    loop.advance(Duration.ofNanos(Math.max(0, nanos - loop.nanoTime())));
    for (SimulatedCall call = woken.poll(); call != null; call = woken.poll()) {
      if (!call.isOver()) {
        pick(call);
      }
    }
  }

  private void pick(SimulatedCall call) {
    while (true) {
      Picker picker = handle.picker();
      PickResult result = picker.pick(call);
      if (result instanceof PickResult.Use use) {
        start(call, use.subchannel());
        return;
      }
      if (!(result instanceof PickResult.Queue)) {
        finish(call, true);
        return;
      }
      long ticket = handle.park(call, picker);
      if (ticket != PickQueue.NOT_PARKED) {
        call.waits(ticket);
        endAt(call.startNanos() + DEADLINE, call, CallOutcome.FAILURE);
        return;
      }
    }
  }

  private void start(SimulatedCall call, Subchannel subchannel) {
    if (!(subchannel.transport() instanceof SimulatedTransport transport)) {
      subchannel.callEnded(call, CallOutcome.NOT_SENT); // the loop knows, the picker not yet
      finish(call, true);
      return;
    }
    SimulatedServer server = transport.server();
    call.assign(subchannel, server);
    SimulatedServer.Answer answer = server.onCall(loop.nanoTime());
    long deadline = call.startNanos() + DEADLINE;
    long answered = loop.nanoTime() + answer.nanos();
    if (answered > deadline) {
      endAt(deadline, call, CallOutcome.FAILURE);
    } else {
      endAt(answered, call, answer.outcome());
    }
  }

  private void endAt(long nanos, SimulatedCall call, CallOutcome outcome) {
    ends.add(new End(nanos, order++, call, outcome));
  }

  private void onEnd(End end) {
    SimulatedCall call = end.call();
    if (call.isOver()) {
      return; // the deadline of a call that was answered
    }
    Subchannel subchannel = call.subchannel();
    SimulatedServer server = call.server();
    if (subchannel == null || server == null) { // it waited in vain
      handle.unpark(call.ticket());
      finish(call, true);
      return;
    }
    CallOutcome outcome = server.isUp() ? end.outcome() : CallOutcome.FAILURE;
    server.onEnd();
    if (outcome == CallOutcome.SUCCESS && subchannel.wantsBackendMetrics()) {
      subchannel.onBackendMetrics(call, server.report());
    }
    subchannel.callEnded(call, outcome);
    finish(call, outcome != CallOutcome.SUCCESS);
  }

  private void finish(SimulatedCall call, boolean failed) {
    call.finish();
    tally.add(call.startNanos(), failed);
  }
}
