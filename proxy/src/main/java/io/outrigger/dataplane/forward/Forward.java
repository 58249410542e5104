package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.Route;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The data plane of one {@code --forward}: settings, targets, queue limits and counters. */
@AnyThread
public final class Forward {
  /**
   * {@code host [":" port]} of RFC 3986 section 3.2. The digits of percent encodings are not
   * checked.
   */
  private static final Pattern AUTHORITY =
      Pattern.compile("([\\w.~!$&'()*+,;=%-]++|\\[[\\w.~!$&'()*+,;=:-]++\\])(:[0-9]{0,5})?");

  private final String name;
  final ForwardSettings settings;
  private final Caller.Local app;
  final CallObserver observer;
  final CallTracer tracer;
  final MemoryGauge memory;
  final PendingCall.Limit waiting;
  private final List<CallStats> stats;

  /** The budget of bytes that calls may keep for retries. */
  final Budget replays = new Budget(ReplayBuffer.MAX_BYTES_OF_FORWARD);

  private final @Nullable HeaderField fixedAuthority;
  private final long channelId = Route.randomHash(RandomSource.SYSTEM);

  /**
   * The last target's authority as a header field. A race between loops only costs one more
   * conversion.
   */
  private @Nullable KnownAuthority known;

  private record KnownAuthority(ForwardTarget target, HeaderField field) {}

  /** The last authority that {@link #isAuthority} accepted; a race between loops is harmless. */
  private @Nullable AsciiString lastSound;

  /**
   * @param memory the memory gauge; while memory is full, new requests on heavy connections are
   *     refused
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
    app = new Caller.Local(targets);
    this.observer = observer;
    this.tracer = tracer;
    this.memory = memory;
    fixedAuthority =
        settings.authority() instanceof AuthorityMode.Fixed fixed
            ? HeaderField.of(KnownName.AUTHORITY, fixed.text())
            : null;
    waiting =
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

  /** The counters of this forward's calls. Callable from any thread. */
  public CallStats.Totals totals() {
    return new CallStats.Totals(stats, (int) waiting.requests().held());
  }

  /** The local apps, which are the callers unless the forward is for a {@code --serve}. */
  public Caller app() {
    return app;
  }

  /**
   * The target of a new request; failed when no further target may be created, or when memory is
   * full and the request's connection is heavy.
   */
  Outcome<ForwardTarget> targetFor(Caller caller, RequestHead head, boolean isOnHeavyConnection) {
    return isOnHeavyConnection && memory.isFull()
        ? Outcome.failed(CallFailures.memoryFull())
        : caller.targets().targetFor(head.authority());
  }

  /**
   * Returns a message about what is wrong with the request's authority; null when the authority is
   * valid or not used.
   */
  @Nullable String authorityFault(Caller caller, RequestHead head) {
    AsciiString own = head.authority();
    if (own.isEmpty()) {
      return caller.targets().needsAuthority()
          ? "no :authority, which names the target here"
          : null;
    }
    if (settings.authority() instanceof AuthorityMode.Preserve && !own.equals(lastSound)) {
      if (!isAuthority(own)) {
        return ":authority is not a host with an optional port"
            + (caller instanceof Caller.Local ? " (--authority preserve)" : "");
      }
      lastSound = own;
    }
    return null;
  }

  /** User information is not allowed: RFC 9113 section 8.3.1. */
  static boolean isAuthority(AsciiString text) {
    return AUTHORITY.matcher(text).matches();
  }

  /** The value for {@code channel_id} hash policies: one random value per forward (SC-46). */
  public long channelId() {
    return channelId;
  }

  CallStats stats(CallLoop loop) {
    return stats.get(loop.index());
  }

  /**
   * The {@code :authority} that is sent to the backend (SC-32). The app's own value takes
   * precedence over the endpoint's hostname, and the hostname over any default (A81
   * "xds_cluster_impl LB Policy Changes").
   *
   * @param rewritten the authority to which the route rewrites; empty when the route rewrites
   *     nothing
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
    if (fixedAuthority != null) {
      return fixedAuthority;
    }
    KnownAuthority current = known;
    if (current == null || current.target() != target) {
      current = new KnownAuthority(target, HeaderField.of(KnownName.AUTHORITY, target.authority()));
      known = current;
    }
    return current.field();
  }
}
