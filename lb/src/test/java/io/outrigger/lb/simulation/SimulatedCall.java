package io.outrigger.lb.simulation;

import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.tree.PickQueue;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** One call from its arrival to its end. A call that waited is put to those to be picked again. */
final class SimulatedCall implements PickContext, ParkedCall {
  private final long startNanos;
  private final long hash;
  private final Queue<SimulatedCall> woken;
  private @Nullable Subchannel subchannel;
  private @Nullable SimulatedServer server;
  private long ticket = PickQueue.NOT_PARKED;
  private boolean over;

  SimulatedCall(long startNanos, long hash, Queue<SimulatedCall> woken) {
    this.startNanos = startNanos;
    this.hash = hash;
    this.woken = woken;
  }

  long startNanos() {
    return startNanos;
  }

  @Override
  public int loop() {
    return 0;
  }

  @Override
  public long hash() {
    return hash;
  }

  @Override
  public @Nullable String header(String name) {
    return null;
  }

  @Override
  public void wake() {
    ticket = PickQueue.NOT_PARKED;
    woken.add(this);
  }

  void waits(long ticket) {
    this.ticket = ticket;
  }

  /** The ticket to take it back with; {@link PickQueue#NOT_PARKED} while it does not wait. */
  long ticket() {
    return ticket;
  }

  void assign(Subchannel subchannel, SimulatedServer server) {
    this.subchannel = subchannel;
    this.server = server;
  }

  @Nullable Subchannel subchannel() {
    return subchannel;
  }

  @Nullable SimulatedServer server() {
    return server;
  }

  boolean isOver() {
    return over;
  }

  void finish() {
    over = true;
  }
}
