package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.Route;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallTotals;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One {@code --forward} as its calls see it: settings, target, the queue's bounds, counters. */
@AnyThread
public final class Forward {
  private final String name;
  private final ForwardSettings settings;
  private final TargetResolver targets;
  private final CallObserver observer;
  private final CallTracer tracer;
  private final MemoryGauge memory;
  private final PendingLimit waiting;
  private final List<CallStats> stats;
  private final ByteBudget replays = new ByteBudget(ReplayBuffer.MAX_BYTES_OF_FORWARD);
  private final long channelId = Route.randomHash(RandomSource.SYSTEM);

  /** The last target's authority as a field; a race only costs one more conversion. */
  private @Nullable KnownAuthority known;

  private record KnownAuthority(ForwardTarget target, HeaderField field) {}

  /** A forward whose memory nobody limits. */
  public Forward(
      String name,
      ForwardSettings settings,
      TargetResolver targets,
      CallObserver observer,
      int loops) {
    this(name, settings, targets, observer, CallTracer.NONE, MemoryGauge.UNLIMITED, loops);
  }

  /**
   * @param memory while it is full, requests that arrive are refused
   * @param loops how many event loops there are
   */
  public Forward(
      String name,
      ForwardSettings settings,
      TargetResolver targets,
      CallObserver observer,
      CallTracer tracer,
      MemoryGauge memory,
      int loops) {
    this.name = name;
    this.settings = settings;
    this.targets = targets;
    this.observer = observer;
    this.tracer = tracer;
    this.memory = memory;
    waiting = new PendingLimit(settings.maxQueuedRequests(), settings.maxQueuedBytes());
    stats =
        IntStream.range(0, loops)
            .mapToObj(loop -> new CallStats(loop, settings.measuring()))
            .toList();
  }

  public String name() {
    return name;
  }

  /** What its calls came to so far. Any thread. */
  public CallTotals totals() {
    return new CallTotals(stats, waiting.requests());
  }

  ForwardSettings settings() {
    return settings;
  }

  /** The target of a request that arrives; failed when there is no room for it. */
  Outcome<ForwardTarget> targetFor(RequestHead head) {
    return memory.isFull()
        ? Outcome.failed(CallFailures.memoryFull())
        : targets.targetFor(head.authority());
  }

  /** What is wrong with the request's authority, where that is used; null when nothing is. */
  @Nullable String authorityFault(RequestHead head) {
    AsciiString own = head.authority();
    if (own.isEmpty()) {
      return targets.needsAuthority() ? "no :authority, which names the target here" : null;
    }
    return settings.authority() instanceof AuthorityMode.Preserve && !AuthorityRule.isObeyed(own)
        ? ":authority is not a host with an optional port (--authority preserve)"
        : null;
  }

  /** What the forward is in hashes of requests: one value of this process (SC-46). */
  long channelId() {
    return channelId;
  }

  CallObserver observer() {
    return observer;
  }

  CallTracer tracer() {
    return tracer;
  }

  PendingLimit waiting() {
    return waiting;
  }

  /** Whether buffers take so much that nothing is kept which is not needed. */
  boolean isMemoryShort() {
    return memory.isShort();
  }

  /** What calls with a retry policy may keep for further attempts. */
  ByteBudget replays() {
    return replays;
  }

  CallStats stats(CallLoop loop) {
    return stats.get(loop.index());
  }

  /**
   * The {@code :authority} that goes upstream (SC-32). What an app says itself stands before the
   * endpoint's name, and that before any default (A81 "xds_cluster_impl LB Policy Changes").
   *
   * @param rewritten what the route makes of it; empty when nothing
   */
  HeaderField authorityFor(RequestHead head, ForwardTarget target, String rewritten) {
    if (settings.authority() instanceof AuthorityMode.Preserve) {
      HeaderField own = head.authorityField();
      if (own != null && !own.value().isEmpty()) {
        return own;
      }
    }
    if (!rewritten.isEmpty()) {
      return HeaderField.of(KnownName.AUTHORITY, rewritten);
    }
    if (settings.authority() instanceof AuthorityMode.Fixed fixed) {
      return fixed.field();
    }
    KnownAuthority current = known;
    if (current == null || current.target() != target) {
      current = new KnownAuthority(target, HeaderField.of(KnownName.AUTHORITY, target.authority()));
      known = current;
    }
    return current.field();
  }
}
