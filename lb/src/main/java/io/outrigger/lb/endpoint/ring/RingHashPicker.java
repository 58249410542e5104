package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the ring from the request's hash to the first endpoint that has not failed (A61 "Ring
 * Hash"). A request whose hash is made up because its header is missing takes the first READY one
 * instead, and causes at most one connection (A76).
 */
@AnyThread
final class RingHashPicker implements Picker {
  private final Ring ring;
  private final Connectivity[] states;
  private final @Nullable PickResult[] results;
  private final boolean connecting;
  private final String hashHeader;
  private final RandomSource random;
  private final IntConsumer connect;

  /** 1 for those whose connection was asked for: once per picker is enough. */
  private final AtomicIntegerArray asked;

  /**
   * @param states of the endpoints, by their number on the ring
   * @param results what READY ones and failed ones answer
   * @param hashHeader in lower case; empty when the request's own hash counts
   * @param connect asks for the connection of an endpoint; may be called on any event loop
   */
  RingHashPicker(
      Ring ring,
      Connectivity[] states,
      @Nullable PickResult[] results,
      String hashHeader,
      RandomSource random,
      IntConsumer connect) {
    this.ring = ring;
    this.states = states;
    this.results = results;
    this.hashHeader = hashHeader;
    this.random = random;
    this.connect = connect;
    this.asked = new AtomicIntegerArray(states.length);
    boolean any = false;
    for (Connectivity state : states) {
      any |= state == Connectivity.CONNECTING;
    }
    this.connecting = any;
  }

  @Override
  public PickResult pick(PickContext call) {
    if (hashHeader.isEmpty()) {
      return pickFor(call.hash());
    }
    String value = call.header(hashHeader);
    if (value == null || value.isEmpty()) {
      return pickAny(Xxh64.hash(random.nextLong(Long.MAX_VALUE, Purpose.HASH)));
    }
    return pickFor(Xxh64.hash(value.getBytes(StandardCharsets.ISO_8859_1)));
  }

  private PickResult pickFor(long hash) {
    int first = ring.placeOf(hash);
    int place = first;
    do {
      int member = ring.memberAt(place);
      switch (states[member]) {
        case READY -> {
          return result(member);
        }
        case IDLE -> {
          askFor(member);
          return PickResult.QUEUE;
        }
        case CONNECTING -> {
          return PickResult.QUEUE;
        }
        case TRANSIENT_FAILURE -> place = ring.next(place);
      }
    } while (place != first);
    return result(ring.memberAt(first));
  }

  private PickResult pickAny(long hash) {
    boolean requested = connecting;
    int first = ring.placeOf(hash);
    int place = first;
    do {
      int member = ring.memberAt(place);
      if (states[member] == Connectivity.READY) {
        return result(member);
      }
      if (!requested && states[member] == Connectivity.IDLE) {
        askFor(member);
        requested = true;
      }
      place = ring.next(place);
    } while (place != first);
    return requested ? PickResult.QUEUE : result(ring.memberAt(first));
  }

  private PickResult result(int member) {
    PickResult result = results[member];
    if (result == null) {
      throw new AssertionError(states[member]);
    }
    return result;
  }

  private void askFor(int member) {
    if (asked.get(member) == 0 && asked.compareAndSet(member, 0, 1)) {
      connect.accept(member);
    }
  }
}
