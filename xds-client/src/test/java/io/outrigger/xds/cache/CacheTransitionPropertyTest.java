package io.outrigger.xds.cache;

import static io.outrigger.xds.cache.CacheScript.named;
import static io.outrigger.xds.cache.CacheScript.received;
import static io.outrigger.xds.cache.CacheScript.rejected;
import static io.outrigger.xds.cache.CacheScript.serverError;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheEvent.StreamFailed;
import io.outrigger.xds.cache.CacheEvent.TimerFired;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds after any sequence of events, from servers with any features. */
final class CacheTransitionPropertyTest {
  /** An event, and what the server that caused it is like. */
  record Happening(CacheEvent<String> event, ServerFeatures features) {}

  @Property(tries = 2000, seed = "20260101")
  @Conformance({"A88-36", "A88-37"})
  void statesHoldWhatTheyMayAndWhatTheyMust(@ForAll("stories") List<Happening> story) {
    CacheEntry<String> entry = CacheEntry.requested();
    for (Happening happening : possible(story)) {
      entry = next(entry, happening);

      boolean holds = entry.held().isPresent();
      boolean errs = entry.dataError().isPresent();
      switch (entry.state()) {
        case REQUESTED -> assertThat(holds || errs).isFalse();
        case ACKED -> assertThat(holds && !errs).isTrue();
        case STALE -> assertThat(holds).isTrue();
        case TIMEOUT -> assertThat(!holds && errs).isTrue();
        case DOES_NOT_EXIST, NACKED, RECEIVED_ERROR -> assertThat(errs).isTrue();
      }
    }
  }

  /** What watchers use is what is shown, at every moment (A88-38). */
  @Property(tries = 2000, seed = "20260101")
  @Conformance("A88-38")
  void watchersUseWhatTheCacheHoldsAndNothingElse(@ForAll("stories") List<Happening> story) {
    CacheEntry<String> entry = CacheEntry.requested();
    var knows = new CacheScript.Knowledge();
    for (Happening happening : possible(story)) {
      var step = CacheTransition.apply(entry, happening.event(), happening.features());
      entry = step.next();
      step.notifyWatcher(knows);

      assertThat(Optional.ofNullable(knows.resource)).isEqualTo(entry.held().map(Held::value));
      assertThat(knows.error).isEqualTo(entry.error().orElse(RpcStatus.OK));
      var late = new CacheScript.Knowledge();
      entry.replayTo(late);
      assertThat(late.toString()).isEqualTo(knows.toString());
    }
  }

  @Property(tries = 2000, seed = "20260101")
  void theSameEventTwiceInARowTellsNothingNewAndChangesNothing(
      @ForAll("stories") List<Happening> story) {
    CacheEntry<String> entry = CacheEntry.requested();
    for (Happening happening : possible(story)) {
      entry = next(entry, happening);
      if (happening.event() instanceof TimerFired) {
        continue; // a timer fires once
      }

      var again = CacheTransition.apply(entry, happening.event(), happening.features());

      again.notifyWatcher(
          new ResourceWatcher<>() {
            @Override
            public void onChanged(Outcome<String> resource) {
              throw new AssertionError(resource);
            }

            @Override
            public void onAmbientError(RpcStatus status) {
              throw new AssertionError(status);
            }
          });
      assertThat(again.next()).isEqualTo(entry);
    }
  }

  @Property(tries = 2000, seed = "20260101")
  void onlyDataErrorsOfAServerThatFailsOnThemDropAResource(
      @ForAll("stories") List<Happening> story) {
    CacheEntry<String> entry = CacheEntry.requested();
    for (Happening happening : possible(story)) {
      CacheEntry<String> next = next(entry, happening);
      if (entry.held().isPresent() && next.held().isEmpty()) {
        assertThat(happening.features().failOnDataErrors()).isTrue();
        assertThat(happening.event()).isNotInstanceOf(StreamFailed.class);
      }
      entry = next;
    }
  }

  @Property(tries = 1000, seed = "20260101")
  void aValidVersionHealsEverything(@ForAll("stories") List<Happening> story) {
    CacheEntry<String> entry = CacheEntry.requested();
    for (Happening happening : possible(story)) {
      entry = next(entry, happening);
    }

    CacheEntry<String> healed =
        CacheTransition.apply(entry, received("good", "9"), ServerFeatures.NONE).next();

    assertThat(healed.state()).isEqualTo(CacheState.ACKED);
    assertThat(healed.error()).isEmpty();
    assertThat(healed.held().map(Held::value)).contains("good");
  }

  private static CacheEntry<String> next(CacheEntry<String> entry, Happening happening) {
    return CacheTransition.apply(entry, happening.event(), happening.features()).next();
  }

  /** Without the timers that would not have been running. */
  private static List<Happening> possible(List<Happening> story) {
    var entry =
        new Object() {
          CacheEntry<String> now = CacheEntry.requested();
        };
    return story.stream()
        .filter(
            happening -> {
              if (happening.event() instanceof TimerFired && !entry.now.awaitsAnswer()) {
                return false;
              }
              entry.now = next(entry.now, happening);
              return true;
            })
        .toList();
  }

  @Provide
  Arbitrary<List<Happening>> stories() {
    Arbitrary<CacheEvent<String>> events =
        Arbitraries.of(
            received("a", "1"),
            received("b", "2"),
            rejected("bad"),
            rejected("worse"),
            named("deleted"),
            serverError(Code.NOT_FOUND),
            serverError(Code.PERMISSION_DENIED),
            serverError(Code.UNAVAILABLE),
            named("timer"),
            named("stream failed"),
            named("recovered"));
    Arbitrary<ServerFeatures> features =
        Combinators.combine(Arbitraries.of(true, false), Arbitraries.of(true, false))
            .as((fail, transientTimer) -> new ServerFeatures(false, fail, transientTimer));
    return Combinators.combine(events, features).as(Happening::new).list().ofMaxSize(12);
  }
}
