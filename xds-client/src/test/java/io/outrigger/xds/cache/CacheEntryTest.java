package io.outrigger.xds.cache;

import static io.outrigger.xds.cache.CacheScript.DEFAULT;
import static io.outrigger.xds.cache.CacheScript.FAIL;
import static io.outrigger.xds.cache.CacheScript.NOW;
import static io.outrigger.xds.cache.CacheScript.TRANSIENT_TIMER;
import static io.outrigger.xds.cache.CacheScript.named;
import static io.outrigger.xds.cache.CacheScript.raw;
import static io.outrigger.xds.cache.CacheScript.received;
import static io.outrigger.xds.cache.CacheScript.rejected;
import static io.outrigger.xds.cache.CacheScript.serverError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.cache.CacheEvent.TimerFired;
import io.outrigger.xds.overlay.Overlay;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What must hold in whatever order things happen. */
final class CacheEntryTest {
  @Test
  @Conformance("A88-38")
  void whoWatchesFromTheStartAndWhoComesLateKnowTheSame() {
    for (ServerFeatures features : List.of(DEFAULT, FAIL, TRANSIENT_TIMER)) {
      for (List<CacheEvent<String>> story : storiesOfFour()) {
        var script = new CacheScript(features);
        for (CacheEvent<String> event : story) {
          if (!(event instanceof TimerFired) || script.entry.awaitsAnswer()) {
            script.apply(event);
          }
        }

        var late = new CacheScript.Knowledge();
        script.entry.replayTo(late);

        assertThat(late.toString()).as("%s %s", features, story).isEqualTo(script.knowledge());
        assertThat(Optional.ofNullable(script.knows.resource))
            .as("in use exactly if held: %s %s", features, story)
            .isEqualTo(script.entry.held().map(CacheEntry.Held::value));
      }
    }
  }

  @Test
  @Conformance("A57-19")
  void aResourceThatWasDeclaredMissingAwaitsNoAnswer() {
    for (ServerFeatures features : List.of(DEFAULT, TRANSIENT_TIMER)) {
      var script = new CacheScript(features);
      assertThat(script.entry.awaitsAnswer()).isTrue();

      script.apply(new TimerFired<>("nothing came", NOW));

      assertThat(script.entry.awaitsAnswer()).as("%s", script.entry.state()).isFalse();
    }
  }

  @Test
  @Conformance("A88-37")
  void statesHoldOnlyWhatTheyMay() {
    var held =
        Optional.of(
            new CacheEntry.Held<>("v1", raw("v1"), "1", NOW, CacheScript.SERVER, Overlay.NONE));
    var error =
        Optional.of(
            new CacheEntry.DataError(RpcStatus.unavailable("e"), "1", Optional.empty(), NOW));
    Optional<CacheEntry.Held<String>> noResource = Optional.empty();
    Optional<CacheEntry.DataError> noError = Optional.empty();

    assertIllegal(CacheState.TIMEOUT, held, error);
    assertIllegal(CacheState.REQUESTED, held, noError);
    assertIllegal(CacheState.REQUESTED, noResource, error);
    assertIllegal(CacheState.ACKED, held, error);
    assertIllegal(CacheState.ACKED, noResource, noError);
    for (var state :
        Set.of(CacheState.NACKED, CacheState.DOES_NOT_EXIST, CacheState.RECEIVED_ERROR)) {
      assertIllegal(state, held, noError);
      assertThat(new CacheEntry<>(state, held, error, Optional.empty()).held()).isPresent();
    }
  }

  private static void assertIllegal(
      CacheState state,
      Optional<CacheEntry.Held<String>> held,
      Optional<CacheEntry.DataError> error) {
    assertThatThrownBy(() -> new CacheEntry<>(state, held, error, Optional.empty()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(state.name());
  }

  /** Every sequence of four events out of eight. */
  private static List<List<CacheEvent<String>>> storiesOfFour() {
    List<CacheEvent<String>> events =
        List.of(
            received("a"),
            received("b"),
            rejected("bad"),
            named("deleted"),
            serverError(Code.NOT_FOUND),
            new TimerFired<>("late", NOW),
            named("stream failed"),
            named("recovered"));
    List<List<CacheEvent<String>>> stories = List.of(List.of());
    for (int step = 0; step < 4; step++) {
      List<List<CacheEvent<String>>> longer = new ArrayList<>();
      for (var story : stories) {
        for (var event : events) {
          var extended = new ArrayList<>(story);
          extended.add(event);
          longer.add(extended);
        }
      }
      stories = longer;
    }
    return stories;
  }
}
