package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.SecurityLevel;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import io.outrigger.identity.token.TokenSource;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When tokens are fetched, kept and given. */
class BearerCredentialsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Source source = new Source();
  private final BearerCredentials credentials =
      new BearerCredentials(
          loop,
          "google_default",
          source,
          Duration.ofMinutes(5),
          (bound, purpose) -> bound / 2); // no jitter

  /** Gives what the test says. */
  private static final class Source implements TokenSource {
    private final Deque<CompletableFuture<AccessToken>> asked = new ArrayDeque<>();
    private boolean closed;

    @Override
    public CompletableFuture<AccessToken> fetch(Instant now) {
      var fetch = new CompletableFuture<AccessToken>();
      asked.add(fetch);
      return fetch;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private TokenCall call() {
    var call = TokenCall.of(credentials, SecurityLevel.PRIVACY_AND_INTEGRITY);
    loop.run();
    return call;
  }

  private void give(String text, Duration lifetime) {
    source.asked.remove().complete(new AccessToken(text, lifetime));
    loop.run();
  }

  private void refuse() {
    source.asked.remove().completeExceptionally(new IllegalStateException("with a secret"));
    loop.run();
  }

  @Test
  @Conformance("DI-05")
  void theFirstCallsWaitForOneFetchAndLaterOnesGetTheTokenAtOnce() {
    loop.advance(HOUR);
    assertThat(source.asked).as("nobody asked").isEmpty();

    TokenCall first = call();
    TokenCall second = call();
    assertThat(first.outcome()).isEqualTo("waits");
    assertThat(source.asked).hasSize(1);
    give("a", HOUR);

    assertThat(first.outcome()).isEqualTo("Bearer a");
    assertThat(second.outcome()).isEqualTo("Bearer a");
    assertThat(call().outcome()).isEqualTo("Bearer a");
    assertThat(source.asked).isEmpty();
  }

  @Test
  @Conformance("DI-05")
  void fiveMinutesBeforeItsEndTheNextIsFetchedWhileTheOldOneIsUsed() {
    call();
    give("old", HOUR);

    loop.advance(Duration.ofMinutes(55).minusSeconds(1));
    assertThat(source.asked).isEmpty();
    loop.advance(Duration.ofSeconds(1));
    assertThat(source.asked).as("without a call").hasSize(1);
    assertThat(call().outcome()).isEqualTo("Bearer old");
    give("new", HOUR);

    assertThat(call().outcome()).isEqualTo("Bearer new");
  }

  /** As a metadata server does that has one of its own for some minutes more. */
  @Test
  @Conformance("DI-05")
  void theSameTokenAgainIsFetchedAgainAfterHalfOfWhatIsLeft() {
    call();
    give("old", HOUR);
    loop.advance(Duration.ofMinutes(55));
    give("old", Duration.ofMinutes(5));

    loop.advance(Duration.ofSeconds(149));
    assertThat(source.asked).isEmpty();
    loop.advance(Duration.ofSeconds(1));
    assertThat(source.asked).hasSize(1);
  }

  @Test
  @Conformance("DI-05")
  void whileTheOldOneIsGoodAFetchInVainIsDoneAgainWithBackOff() {
    call();
    give("old", HOUR);
    loop.advance(Duration.ofMinutes(55));
    refuse();

    assertThat(call().outcome()).isEqualTo("Bearer old");
    assertThat(source.asked).as("backing off").isEmpty();
    loop.advance(Duration.ofSeconds(1));
    refuse();
    loop.advance(Duration.ofMillis(1599));
    assertThat(source.asked).isEmpty();
    loop.advance(Duration.ofMillis(1));
    give("new", HOUR);
    assertThat(call().outcome()).isEqualTo("Bearer new");
  }

  @Test
  @Conformance("DI-05")
  void thirtySecondsBeforeItsEndATokenIsUsedNoMore() {
    call();
    give("old", HOUR);
    loop.advance(Duration.ofMinutes(55));
    source.asked.remove(); // never answered
    loop.advance(Duration.ofSeconds(10));
    source.asked.clear();

    loop.advance(Duration.ofSeconds(5 * 60 - 30 - 10 - 1));
    assertThat(call().outcome()).isEqualTo("Bearer old");
    loop.advance(Duration.ofSeconds(1));
    assertThat(call().outcome()).isNotEqualTo("Bearer old");
  }

  @Test
  @Conformance("DI-05")
  void aTokenNearItsEndIsForTheCallsThatWaitAlone() {
    TokenCall waiting = call();
    give("short", Duration.ofSeconds(20));
    assertThat(waiting.outcome()).isEqualTo("Bearer short");
    assertThat(loop.pendingTimers()).isZero();

    TokenCall next = call();
    assertThat(next.outcome()).isEqualTo("waits");
    give("long", HOUR);
    assertThat(next.outcome()).isEqualTo("Bearer long");
  }

  /** A97: while it backs off, calls fail at once; nothing is fetched without a call. */
  @Test
  void withinTheBackOffCallsFailAsTheLastFetchDid() {
    TokenCall first = call();
    source.asked.remove().completeExceptionally(new NoToken("/t does not exist"));
    loop.run();
    String failed = "UNAVAILABLE: google_default: no token: /t does not exist";
    assertThat(first.outcome()).isEqualTo(failed);

    loop.advance(Duration.ofMillis(999));
    assertThat(call().outcome()).isEqualTo(failed);
    assertThat(source.asked).isEmpty();
    loop.advance(Duration.ofMillis(1));
    assertThat(source.asked).isEmpty();
    TokenCall later = call();
    give("a", HOUR);
    assertThat(later.outcome()).isEqualTo("Bearer a");
  }

  @Test
  @Conformance("DI-05")
  void aFailureIsOfThoseWhoWaitedAndTheNextCallTriesAgain() {
    TokenCall waiting = call();
    refuse();
    assertThat(waiting.outcome()).startsWith("UNAVAILABLE: google_default: no token");
    assertThat(waiting.outcome()).doesNotContain("secret");
    loop.advance(HOUR);
    assertThat(source.asked).as("nobody asked").isEmpty();

    TokenCall next = call();
    give("a", HOUR);

    assertThat(next.outcome()).isEqualTo("Bearer a");
  }

  @Test
  @Conformance("DI-05")
  void whoeverWaitsTenSecondsFailsAndALateAnswerIsNotUsed() {
    TokenCall waiting = call();
    CompletableFuture<AccessToken> slow = source.asked.remove();
    loop.advance(Duration.ofSeconds(9));
    assertThat(waiting.outcome()).isEqualTo("waits");
    loop.advance(Duration.ofSeconds(1));

    assertThat(waiting.outcome()).isEqualTo("UNAVAILABLE: google_default: no token within 10 s");
    assertThat(slow).isCancelled();
    TokenCall next = call();
    assertThat(source.asked).hasSize(1);
    assertThat(next.outcome()).isEqualTo("waits");
    give("a", HOUR);
    loop.advance(Duration.ofSeconds(10));
    assertThat(next.outcome()).isEqualTo("Bearer a");
    assertThat(call().outcome()).as("its limit is over with it").isEqualTo("Bearer a");
  }

  @Test
  @Conformance("DI-05")
  void noTokenIsSentInPlainText() {
    call();
    give("a", HOUR);

    for (SecurityLevel level : new SecurityLevel[] {SecurityLevel.NONE, SecurityLevel.INTEGRITY}) {
      TokenCall call = TokenCall.of(credentials, level);
      loop.run();
      assertThat(call.outcome())
          .startsWith("UNAUTHENTICATED: google_default: a token is sent over");
    }
  }

  @Test
  void afterTheEndNothingIsFetched() {
    call();
    give("a", HOUR);
    loop.advance(Duration.ofMinutes(55));
    CompletableFuture<AccessToken> running = source.asked.remove();

    loop.inside(credentials::close);

    assertThat(running).isCancelled();
    assertThat(source.closed).isTrue();
    loop.advance(HOUR);
    assertThat(source.asked).isEmpty();
    assertThat(loop.pendingTimers()).isZero();
  }
}
