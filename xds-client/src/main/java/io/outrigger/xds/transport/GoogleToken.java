package io.outrigger.xds.transport;

import io.grpc.Status;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.TimerHandle;
import io.outrigger.xds.google.AccessToken;
import io.outrigger.xds.google.NoToken;
import io.outrigger.xds.google.TokenSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The token that goes with the streams of {@code google_default} credentials.
 *
 * <pre>
 * a call comes with
 *   a token             gets it
 *   no token            waits for one to be fetched
 * a fetch
 *   succeeds            the calls that wait get the token; the next fetch is due 5 min before its
 *                       end. A token that ends within 30 s is not kept
 *   fails, or takes     those who wait fail with the reason; while there is a token, the next
 *   longer than 10 s    fetch is due after a back-off, else when a call comes
 * </pre>
 *
 * <p>There is a token until 30 s before its end. Nothing is fetched before the first call. Calls
 * that fail come again after the back-off of their stream, so there is no other one for them.
 */
@ControlConfined
final class GoogleToken extends BearerCredentials {
  private static final String NAME = "google_default";
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration AHEAD = Duration.ofMinutes(5);

  private final ControlLoop loop;
  private final TokenSource source;
  private final Backoff backoff;
  private final List<MetadataApplier> waiting = new ArrayList<>();
  private @Nullable AccessToken token;
  private long usableUntil; // in nanoseconds of the loop, when there is a token
  private @Nullable CompletableFuture<AccessToken> fetch; // under way
  private TimerHandle limit = () -> {};
  private TimerHandle refresh = () -> {};

  /**
   * Fetches nothing yet.
   *
   * @param source closed with this
   */
  GoogleToken(ControlLoop loop, TokenSource source, RandomSource random) {
    super(loop, NAME);
    this.loop = loop;
    this.source = source;
    this.backoff = new Backoff(random);
  }

  @Override
  void apply(MetadataApplier applier) {
    AccessToken known = usable();
    if (known != null) {
      applier.apply(header(known.text()));
    } else {
      waiting.add(applier);
      fetch();
    }
  }

  private @Nullable AccessToken usable() {
    if (token != null && loop.nanoTime() - usableUntil >= 0) {
      token = null;
    }
    return token;
  }

  @SuppressWarnings("ReferenceEquality") // this very fetch
  private void fetch() {
    if (fetch != null) {
      return;
    }
    refresh.cancel();
    long start = loop.nanoTime();
    CompletableFuture<AccessToken> begun = source.fetch(loop.now());
    fetch = begun;
    limit = loop.schedule(LIMIT, () -> onLate(begun));
    begun.whenComplete(
        (fetched, failure) ->
            loop.execute(
                () -> {
                  if (fetch == begun) { // else it was late
                    onFetched(start, fetched, failure);
                  }
                }));
  }

  private void onLate(CompletableFuture<AccessToken> late) {
    onFailed("no token within " + LIMIT.toSeconds() + " s");
    late.cancel(true);
  }

  private void onFetched(long start, @Nullable AccessToken fetched, @Nullable Throwable failure) {
    if (fetched == null) {
      onFailed(
          "no token: " + (failure instanceof NoToken reason ? reason.reason() : "not asked for"));
      return;
    }
    end();
    if (fetched.usable().compareTo(Duration.ZERO) > 0) {
      token = fetched;
      usableUntil = start + fetched.usable().toNanos();
      backoff.reset();
      refresh = loop.schedule(untilRefresh(fetched.lifetime()), this::fetch);
    } else if (usable() != null) {
      refresh = loop.schedule(backoff.next(), this::fetch);
    }
    takeWaiting().forEach(applier -> applier.apply(header(fetched.text())));
  }

  /** A metadata server keeps a token until near its end: of what is short, half is used up. */
  private static Duration untilRefresh(Duration lifetime) {
    Duration half = lifetime.dividedBy(2);
    return half.compareTo(AHEAD) < 0 ? half : lifetime.minus(AHEAD);
  }

  private void onFailed(String reason) {
    end();
    if (usable() != null) {
      refresh = loop.schedule(backoff.next(), this::fetch);
    }
    Status status = Status.UNAVAILABLE.withDescription(NAME + ": " + reason);
    takeWaiting().forEach(applier -> applier.fail(status));
  }

  private void end() {
    fetch = null;
    limit.cancel();
  }

  private List<MetadataApplier> takeWaiting() {
    var all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  void close() {
    loop.checkInside();
    refresh.cancel();
    CompletableFuture<AccessToken> begun = fetch;
    end();
    if (begun != null) {
      begun.cancel(true);
    }
    source.close();
  }
}
