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
 * "Ring Hash"). For a request without the configured hash header, the search begins at a random
 * entry and picks the first READY endpoint. The search requests at most one connection (A76). The
 * arrays are indexed by slot number. Failure results are created when they are first needed.
 *
 * @param hashHeader the header to hash, in lower case; empty to use {@link PickContext#hash}
 * @param connect requests a connection for a given slot number; called on any event loop
 * @param requested contains 1 at each slot number for which this picker has requested a connection
 */
@AnyThread
@SuppressWarnings("ArrayRecordComponent") // instances are never compared
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
    AtomicIntegerArray requested)
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
    int slot = ring.slotAt(firstNotFailed(ring.indexOf(hash)));
    if (states[slot] == Connectivity.IDLE) {
      requestConnection(slot);
    }
    return result(slot);
  }

  /**
   * Returns the index of the first ring entry whose endpoint has not failed, beginning at a given
   * index. If all endpoints have failed, returns the given index.
   */
  private int firstNotFailed(int first) {
    int index = first;
    do {
      if (states[ring.slotAt(index)] != Connectivity.TRANSIENT_FAILURE) {
        return index;
      }
      index = ring.next(index);
    } while (index != first);
    return first;
  }

  private PickResult pickAny(long hash) {
    int first = ring.indexOf(hash);
    int ready = find(Connectivity.READY, first, NONE);
    int idle = connecting ? NONE : find(Connectivity.IDLE, first, ready);
    if (idle != NONE) {
      requestConnection(ring.slotAt(idle));
    }
    if (ready != NONE) {
      return result(ring.slotAt(ready));
    }
    return connecting || idle != NONE ? WAITS : result(ring.slotAt(first));
  }

  /**
   * Returns the index of the first ring entry whose endpoint has the given state, or {@link #NONE}.
   * The search begins at index {@code first} and ends before index {@code end}; if {@code end} is
   * {@link #NONE}, the search covers the whole ring.
   */
  private int find(Connectivity state, int first, int end) {
    int index = first;
    do {
      if (index == end) {
        return NONE;
      }
      if (states[ring.slotAt(index)] == state) {
        return index;
      }
      index = ring.next(index);
    } while (index != first);
    return NONE;
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    if (hashHeader.isEmpty()) {
      OptionalLong hash = call.hash();
      return hash.isPresent()
          ? planFor(hash.getAsLong(), "the route's hash policy")
          : planForAny(
              "no hash policy gives one: another hash for each request", this::firstNotFailed);
    }
    String value = call.header(hashHeader);
    return value == null || value.isEmpty()
        ? planForAny("header " + hashHeader + " is missing: any endpoint", this::predictAny)
        : planFor(Xxh64.hash(value.getBytes(StandardCharsets.ISO_8859_1)), "header " + hashHeader);
  }

  /** Predicts the ring entry whose endpoint {@link #pickAny} picks or waits for. */
  private int predictAny(int first) {
    int ready = find(Connectivity.READY, first, NONE);
    if (ready != NONE) {
      return ready;
    }
    // No endpoint is READY: the pick waits for the first IDLE or CONNECTING endpoint, if any.
    return firstNotFailed(first);
  }

  private PickPlan planFor(long hash, String source) {
    int first = ring.indexOf(hash);
    int target = firstNotFailed(first);
    int skipped = Math.floorMod(target - first, ring.size());
    return new PickPlan.Hashed(
        OptionalLong.of(hash), source, first, ring.size(), skipped, planOf(ring.slotAt(target)));
  }

  private PickPlan planForAny(String source, IntUnaryOperator choose) {
    List<PickPlan.Share> parts = new ArrayList<>();
    double[] shares = new double[states.length];
    for (int index = 0; index < ring.size(); index++) {
      shares[ring.slotAt(choose.applyAsInt(index))] += ring.share(index);
    }
    for (int slot = 0; slot < shares.length; slot++) {
      if (shares[slot] > 0) {
        parts.add(new PickPlan.Share(shares[slot], planOf(slot)));
      }
    }
    var shared = new PickPlan.Shared(parts);
    return new PickPlan.Hashed(OptionalLong.empty(), source, NONE, ring.size(), 0, shared);
  }

  private PickPlan planOf(int slot) {
    return new PickPlan.Certain(result(slot));
  }

  private PickResult result(int slot) {
    PickResult use = uses[slot];
    if (use != null) {
      return use;
    }
    String failure = failures[slot];
    if (failure == null) {
      return WAITS;
    }
    PickResult.Fail fail = fails[slot];
    if (fail == null) { // several threads may create equal results
      fail =
          new PickResult.Fail(
              note.unavailable("no endpoint can be reached; last error: " + failure));
      fails[slot] = fail;
    }
    return fail;
  }

  private void requestConnection(int slot) {
    if (requested.get(slot) == 0 && requested.compareAndSet(slot, 0, 1)) {
      connect.accept(slot);
    }
  }
}
