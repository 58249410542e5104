package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.state.Connectivity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Picks the first endpoint that has not failed, beginning at the request's hash on the ring (A61
 * "Ring Hash"). A request without the configured hash header has a random hash. Such a request gets
 * the first READY endpoint instead, and requests at most one connection (A76).
 *
 * @param states the states of the endpoints, by slot number
 * @param uses the pick results of READY endpoints, by slot number
 * @param failures the errors of failed endpoints, by slot number
 * @param fails the pick results of failed endpoints, by slot number; created on first use
 * @param hashHeader the header to hash, in lower case; empty to use {@link PickContext#hash}
 * @param connect connects the endpoint with a given slot number; called on any event loop
 * @param asked holds 1 for each slot number whose connection this picker has requested
 */
@AnyThread
@SuppressWarnings("ArrayRecordComponent") // never compared
record RingHashPicker(
    Ring ring,
    Connectivity[] states,
    PickResult.@Nullable Use[] uses,
    @Nullable String[] failures,
    PickResult.@Nullable Fail[] fails,
    FailureNote note,
    boolean connecting,
    String hashHeader,
    RandomSource random,
    IntConsumer connect,
    AtomicIntegerArray asked)
    implements Picker {
  private static final PickResult WAITS =
      PickResult.Queue.connecting(
          "ring_hash: waiting for the endpoint of the request's hash to connect");

  private static final int NONE = -1;

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
    int member = ring.memberAt(landing(ring.placeOf(hash)));
    if (states[member] == Connectivity.IDLE) {
      askFor(member);
    }
    return result(member);
  }

  /**
   * Returns the index of the first ring entry, from {@code first} on, whose endpoint has not
   * failed, or {@code first} if all endpoints have failed.
   */
  private int landing(int first) {
    int place = first;
    do {
      if (states[ring.memberAt(place)] != Connectivity.TRANSIENT_FAILURE) {
        return place;
      }
      place = ring.next(place);
    } while (place != first);
    return first;
  }

  private PickResult pickAny(long hash) {
    int first = ring.placeOf(hash);
    int ready = readyFrom(first);
    boolean requested = connecting || askForIdle(first, ready);
    if (ready != NONE) {
      return result(ring.memberAt(ready));
    }
    return requested ? WAITS : result(ring.memberAt(first));
  }

  private int readyFrom(int first) {
    int place = first;
    do {
      if (states[ring.memberAt(place)] == Connectivity.READY) {
        return place;
      }
      place = ring.next(place);
    } while (place != first);
    return NONE;
  }

  /**
   * Requests the connection of the first IDLE endpoint from {@code first} up to {@code end}, or on
   * the whole ring if {@code end} is {@link #NONE}. Returns false if no endpoint is IDLE.
   */
  private boolean askForIdle(int first, int end) {
    int place = first;
    while (place != end) {
      int member = ring.memberAt(place);
      if (states[member] == Connectivity.IDLE) {
        askFor(member);
        return true;
      }
      place = ring.next(place);
      if (place == first) {
        return false;
      }
    }
    return false;
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    if (hashHeader.isEmpty()) {
      OptionalLong hash = call.hash();
      return hash.isPresent()
          ? planFor(hash.getAsLong(), "the route's hash policy")
          : planForAny("no hash policy gives one: another hash for each request", this::landing);
    }
    String value = call.header(hashHeader);
    return value == null || value.isEmpty()
        ? planForAny("header " + hashHeader + " is missing: any endpoint", this::anyFrom)
        : planFor(Xxh64.hash(value.getBytes(StandardCharsets.ISO_8859_1)), "header " + hashHeader);
  }

  /**
   * Predicts the choice of {@link #pickAny}; without a READY endpoint the call waits for an
   * endpoint that may become READY.
   */
  private int anyFrom(int first) {
    int ready = readyFrom(first);
    if (ready != NONE) {
      return ready;
    }
    // an endpoint that is IDLE or CONNECTING, or the first endpoint if all have failed
    return landing(first);
  }

  private PickPlan planFor(long hash, String source) {
    int first = ring.placeOf(hash);
    int landing = landing(first);
    int passed = Math.floorMod(landing - first, ring.size());
    return new PickPlan.Hashed(
        OptionalLong.of(hash), source, first, ring.size(), passed, planOf(ring.memberAt(landing)));
  }

  private PickPlan planForAny(String source, IntUnaryOperator walk) {
    List<PickPlan.Share> parts = new ArrayList<>();
    double[] shares = new double[states.length];
    for (int place = 0; place < ring.size(); place++) {
      shares[ring.memberAt(walk.applyAsInt(place))] += ring.share(place);
    }
    for (int member = 0; member < shares.length; member++) {
      if (shares[member] > 0) {
        parts.add(new PickPlan.Share(shares[member], planOf(member)));
      }
    }
    var shared = new PickPlan.Shared(parts);
    return new PickPlan.Hashed(OptionalLong.empty(), source, NONE, ring.size(), 0, shared);
  }

  private PickPlan planOf(int member) {
    return new PickPlan.Certain(result(member));
  }

  private PickResult result(int member) {
    PickResult use = uses[member];
    if (use != null) {
      return use;
    }
    String failure = failures[member];
    if (failure == null) {
      return WAITS;
    }
    PickResult.Fail fail = fails[member];
    if (fail == null) { // several threads may create equal results
      fail =
          new PickResult.Fail(
              note.unavailable("no endpoint can be reached; last error: " + failure));
      fails[member] = fail;
    }
    return fail;
  }

  private void askFor(int member) {
    if (asked.get(member) == 0 && asked.compareAndSet(member, 0, 1)) {
      connect.accept(member);
    }
  }
}
