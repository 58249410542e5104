package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.Route;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallStatsRecorder;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The data plane of one {@code --forward}: settings, targets, queue limits and counters. */
@AnyThread
public final class Forward {
  /** Matches {@code host [":" port]} (RFC 3986 section 3.2), even with invalid percent encoding. */
  private static final Pattern AUTHORITY =
      Pattern.compile("([\\w.~!$&'()*+,;=%-]++|\\[[\\w.~!$&'()*+,;=:-]++\\])(:[0-9]{0,5})?");

  private final String name;
  final ForwardSettings settings;
  private final Caller.Local app;
  private final CallObserver observer;
  final CallTracer tracer;
  final MemoryGauge memory;
  final PendingCall.Limit queueLimit;
  private final List<CallStats> stats;

  final Budget replays = new Budget(ReplayBuffer.MAX_BYTES_OF_FORWARD);

  private final @Nullable HeaderField fixedAuthority;
  private final long channelId = Route.randomHash(RandomSource.SYSTEM);

  /** The authority of the last used target, as a header field; a race between loops is harmless. */
  private @Nullable CachedAuthority cachedAuthority;

  private record CachedAuthority(ForwardTarget target, HeaderField field) {}

  /** The last authority that {@link #isAuthority} accepted; a race between loops is harmless. */
  private @Nullable AsciiString lastValid;

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
    app = new Caller.Local(targets);
    this.observer = observer;
    this.tracer = tracer;
    this.memory = memory;
    fixedAuthority =
        settings.authority() instanceof AuthorityMode.Fixed fixed
            ? HeaderField.of(KnownName.AUTHORITY, fixed.text())
            : null;
    queueLimit =
        new PendingCall.Limit(
            new Budget(settings.maxQueuedRequests()), new Budget(settings.maxQueuedBytes()));
    stats =
        IntStream.range(0, loops)
            .mapToObj(loop -> new CallStats(loop, settings.measuring()))
            .toList();
  }

  public String name() {
    return name;
  }

  /** The current counters of this forward's calls. */
  public CallStats.Totals totals() {
    return new CallStats.Totals(stats, (int) queueLimit.requests().held());
  }

  /** The {@link Caller} of all connections to a {@code --forward}; unused for {@code --serve}. */
  public Caller app() {
    return app;
  }

  /**
   * Returns the target of a new request. Fails when {@code --max-targets} is reached, or when
   * memory is full and the request's connection holds much memory.
   */
  Outcome<ForwardTarget> targetFor(Caller caller, RequestHead head, Http2Stream request) {
    return memory.isFull() && request.isOnHeavyConnection()
        ? Outcome.failed(CallFailures.memoryFull())
        : caller.targets().targetFor(head.authority());
  }

  /** Returns why the request's authority is invalid; null when it is valid or not used. */
  @Nullable String authorityFault(Caller caller, RequestHead head) {
    AsciiString requested = head.authority();
    if (requested.isEmpty()) {
      return caller.targets().needsAuthority()
          ? "no :authority, which names the target here"
          : null;
    }
    if (settings.authority() instanceof AuthorityMode.Preserve && !requested.equals(lastValid)) {
      if (!isAuthority(requested)) {
        return ":authority is not a host with an optional port"
            + (caller instanceof Caller.Local ? " (--authority preserve)" : "");
      }
      lastValid = requested;
    }
    return null;
  }

  /** Whether the text is a host with an optional port (RFC 9113 section 8.3.1). */
  static boolean isAuthority(AsciiString text) {
    return AUTHORITY.matcher(text).matches();
  }

  /** The random value of this forward for {@code channel_id} hash policies (SC-46). */
  public long channelId() {
    return channelId;
  }

  CallStatsRecorder recorder(Caller caller, CallLoop loop) {
    var record = new CallStatsRecorder(stats.get(loop.index()));
    if (caller instanceof Caller.Remote remote) {
      record.peer(remote.connection().peer());
    }
    return record;
  }

  public void onConnectionRefused(int loop) {
    stats.get(loop).count(CallCounter.REFUSED_CONNECTIONS);
  }

  /** Counts an ended call and notifies the observer. */
  void report(CallStatsRecorder record, long durationNanos, long limitNanos) {
    record.ended(durationNanos, limitNanos);
    observer.onEnded(record);
  }

  /**
   * Counts and reports a request that was reset because it violates HTTP/2.
   *
   * @param validFields the fields of the request that are valid
   */
  public void onRefused(Caller caller, CallLoop loop, HeaderList validFields, String reason) {
    CallStatsRecorder record = recorder(caller, loop);
    record.started(loop.headOf(validFields), tracer);
    record.local(CallFailures.badRequest(reason), LocalReason.BAD_REQUEST);
    report(record, 0, EffectiveTimeout.NONE);
  }

  /** Returns the value of {@link #authorityFor} as text. */
  public String authority(RequestHead head, ForwardTarget target, String rewritten) {
    return authorityFor(head, target, rewritten).value().toString();
  }

  /**
   * Returns the {@code :authority} for the backend (SC-32). In order of preference, it is the app's
   * authority (only in mode {@code preserve}), the route's (A81 "xds_cluster_impl LB Policy
   * Changes"), the fixed authority of {@code --authority}, or the target's.
   *
   * @param rewritten the authority that the route sets; empty when the route sets none
   */
  HeaderField authorityFor(RequestHead head, ForwardTarget target, String rewritten) {
    if (settings.authority() instanceof AuthorityMode.Preserve) {
      HeaderField requested = head.authorityField();
      if (requested != null && !requested.value().isEmpty()) {
        return requested;
      }
    }
    if (!rewritten.isEmpty()) {
      return HeaderField.of(KnownName.AUTHORITY, rewritten);
    }
    if (fixedAuthority != null) {
      return fixedAuthority;
    }
    CachedAuthority cached = cachedAuthority;
    if (cached == null || cached.target() != target) {
      cached = new CachedAuthority(target, HeaderField.of(KnownName.AUTHORITY, target.authority()));
      cachedAuthority = cached;
    }
    return cached.field();
  }
}
