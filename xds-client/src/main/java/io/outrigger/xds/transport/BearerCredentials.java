package io.outrigger.xds.transport;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.TimerHandle;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import io.outrigger.identity.token.TokenSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Call credentials that consist of a bearer token (RFC 6750), which is sent over TLS only.
 *
 * <pre>
 * a call starts and
 *   a token is held             the call gets the token
 *   no token, not backing off   the call waits until a token is fetched
 *   no token, backing off       the call fails with the reason of the last fetch (A97)
 * a fetch
 *   succeeds                    waiting calls get the token; the back-off is reset; the next fetch
 *                               starts some time before the token expires
 *   fails, or takes longer      waiting calls fail with the reason; a back-off starts; at its end
 *   than 10 s                   the next fetch starts if a token is held, otherwise with a call
 * </pre>
 *
 * <p>A token is used until 30 s before it expires, by the wall clock. A fetched token that expires
 * in less than 30 s is given only to the calls that wait for it. No token is fetched before the
 * first call.
 */
@ControlConfined
final class BearerCredentials extends CallCredentials {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ControlLoop loop;
  private final String name;
  private final TokenSource source;
  private final Duration margin;
  private final Backoff backoff;
  private final List<MetadataApplier> waiting = new ArrayList<>();
  private @Nullable AccessToken token;
  private Instant usableUntil = Instant.MIN; // the time until which the token can be used
  private @Nullable CompletableFuture<AccessToken> fetch; // null if no fetch is running
  private long startNanos; // the start of the last fetch
  private @Nullable Status lastFailure; // null unless the back-off is running
  private TimerHandle timeout = () -> {};
  private TimerHandle next = () -> {}; // the next fetch, or the end of the back-off

  /**
   * @param source the source of the tokens, which {@link #close} closes
   * @param margin how long before its expiry a token is replaced; at most half of its lifetime
   */
  BearerCredentials(
      ControlLoop loop, String name, TokenSource source, Duration margin, RandomSource random) {
    this.loop = loop;
    this.name = name;
    this.source = source;
    this.margin = margin;
    this.backoff = new Backoff(random);
  }

  @Override
  public void applyRequestMetadata(RequestInfo call, Executor app, MetadataApplier applier) {
    if (call.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              name + ": a token is sent over tls only; use channel_creds of type tls"));
      return;
    }
    loop.execute(() -> apply(applier));
  }

  private void apply(MetadataApplier applier) {
    AccessToken known = usable();
    if (known != null) {
      applier.apply(header(known));
    } else if (lastFailure != null) {
      applier.fail(lastFailure);
    } else {
      waiting.add(applier);
      fetch();
    }
  }

  private @Nullable AccessToken usable() {
    if (!loop.now().isBefore(usableUntil)) {
      token = null;
    }
    return token;
  }

  @SuppressWarnings("ReferenceEquality") // compares fetches by identity
  private void fetch() {
    if (fetch != null) {
      return;
    }
    next.cancel();
    Instant start = loop.now();
    startNanos = loop.nanoTime();
    CompletableFuture<AccessToken> begun = source.fetch(start);
    fetch = begun;
    timeout = loop.schedule(TIMEOUT, () -> onTimeout(begun));
    begun.whenComplete(
        (fetched, failure) ->
            loop.execute(
                () -> {
                  if (fetch == begun) { // otherwise the fetch has timed out
                    onEnd(start, fetched, failure);
                  }
                }));
  }

  private void onTimeout(CompletableFuture<AccessToken> begun) {
    onFailed(Status.UNAVAILABLE, "no token within " + TIMEOUT.toSeconds() + " s");
    begun.cancel(true);
  }

  private void onEnd(Instant start, @Nullable AccessToken fetched, @Nullable Throwable failure) {
    if (fetched != null) {
      onFetched(start, fetched);
    } else if (failure instanceof NoToken none) {
      onFailed(
          none.isUnusable() ? Status.UNAUTHENTICATED : Status.UNAVAILABLE,
          "no token: " + none.reason());
    } else { // a bug, whose message may contain a secret
      onFailed(Status.UNAVAILABLE, "no token: none was requested");
    }
  }

  private void onFetched(Instant start, AccessToken fetched) {
    endFetch();
    if (fetched.usable().compareTo(Duration.ZERO) > 0) {
      token = fetched;
      usableUntil = start.plus(fetched.usable());
      backoff.reset();
      next = loop.schedule(untilNext(fetched.lifetime()), this::fetch);
    } else if (usable() != null) {
      next = loop.schedule(backoff.next(), this::fetch);
    }
    takeWaiting().forEach(applier -> applier.apply(header(fetched)));
  }

  /** Returns the lifetime minus the margin, but at least half of the lifetime. */
  private Duration untilNext(Duration lifetime) {
    Duration half = lifetime.dividedBy(2);
    return half.compareTo(margin) < 0 ? half : lifetime.minus(margin);
  }

  private void onFailed(Status status, String reason) {
    endFetch();
    Status failure = status.withDescription(name + ": " + reason);
    lastFailure = failure;
    Duration sinceStart = Duration.ofNanos(loop.nanoTime() - startNanos);
    next = loop.schedule(backoff.next().minus(sinceStart), this::onBackoffOver);
    takeWaiting().forEach(applier -> applier.fail(failure));
  }

  private void onBackoffOver() {
    lastFailure = null;
    if (usable() != null) {
      fetch();
    }
  }

  private void endFetch() {
    fetch = null;
    timeout.cancel();
  }

  private List<MetadataApplier> takeWaiting() {
    var all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  private static Metadata header(AccessToken token) {
    var headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token.text());
    return headers;
  }

  void close() {
    loop.checkInside();
    next.cancel();
    CompletableFuture<AccessToken> begun = fetch;
    endFetch();
    if (begun != null) {
      begun.cancel(true);
    }
    source.close();
  }
}
