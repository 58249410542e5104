package io.outrigger.xds.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.cache.CacheEvent.Deleted;
import io.outrigger.xds.cache.CacheEvent.Received;
import io.outrigger.xds.cache.CacheEvent.Rejected;
import io.outrigger.xds.cache.CacheEvent.ServerError;
import io.outrigger.xds.cache.CacheEvent.StreamFailed;
import io.outrigger.xds.cache.CacheEvent.StreamRecovered;
import io.outrigger.xds.cache.CacheEvent.TimerFired;
import io.outrigger.xds.cache.CacheTransition.Step;
import io.outrigger.xds.cache.CacheTransition.TimerAction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class CacheTransitionTest {
  private static final ServerFeatures DEFAULT = ServerFeatures.NONE;
  private static final ServerFeatures FAIL = new ServerFeatures(false, true, false);
  private static final ServerFeatures TRANSIENT_TIMER = new ServerFeatures(false, false, true);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** A88 "Summary of Behavior Changes", row for row; "any" rows are spelled out for both modes. */
  @ParameterizedTest(name = "{0}, cached {1}, fail_on_data_errors {2} -> {3}, state {4}, held {5}")
  @CsvSource({
    // event,            cached, fail,  notice,                    state,          held after
    "stream failed,      false,  false, changed UNAVAILABLE,       REQUESTED,      false",
    "stream failed,      false,  true,  changed UNAVAILABLE,       REQUESTED,      false",
    "stream failed,      true,   false, ambient UNAVAILABLE,       ACKED,          true",
    "stream failed,      true,   true,  ambient UNAVAILABLE,       ACKED,          true",
    "rejected,           false,  false, changed INVALID_ARGUMENT,  NACKED,         false",
    "rejected,           false,  true,  changed INVALID_ARGUMENT,  NACKED,         false",
    "rejected,           true,   false, ambient INVALID_ARGUMENT,  NACKED,         true",
    "rejected,           true,   true,  changed INVALID_ARGUMENT,  NACKED,         false",
    "timer,              false,  false, changed NOT_FOUND,         DOES_NOT_EXIST, false",
    "timer,              false,  true,  changed NOT_FOUND,         DOES_NOT_EXIST, false",
    "deleted,            true,   false, ambient NOT_FOUND,         DOES_NOT_EXIST, true",
    "deleted,            true,   true,  changed NOT_FOUND,         DOES_NOT_EXIST, false",
    "NOT_FOUND,          false,  false, changed NOT_FOUND,         RECEIVED_ERROR, false",
    "NOT_FOUND,          false,  true,  changed NOT_FOUND,         RECEIVED_ERROR, false",
    "NOT_FOUND,          true,   false, ambient NOT_FOUND,         RECEIVED_ERROR, true",
    "NOT_FOUND,          true,   true,  changed NOT_FOUND,         RECEIVED_ERROR, false",
    "PERMISSION_DENIED,  false,  false, changed PERMISSION_DENIED, RECEIVED_ERROR, false",
    "PERMISSION_DENIED,  false,  true,  changed PERMISSION_DENIED, RECEIVED_ERROR, false",
    "PERMISSION_DENIED,  true,   false, ambient PERMISSION_DENIED, RECEIVED_ERROR, true",
    "PERMISSION_DENIED,  true,   true,  changed PERMISSION_DENIED, RECEIVED_ERROR, false",
    "UNAVAILABLE,        false,  false, changed UNAVAILABLE,       RECEIVED_ERROR, false",
    "UNAVAILABLE,        false,  true,  changed UNAVAILABLE,       RECEIVED_ERROR, false",
    "UNAVAILABLE,        true,   false, ambient UNAVAILABLE,       RECEIVED_ERROR, true",
    "UNAVAILABLE,        true,   true,  ambient UNAVAILABLE,       RECEIVED_ERROR, true",
  })
  @Conformance({"A88-06", "A88-36"})
  void followsTheTableOfTheSpec(
      String event, boolean cached, boolean fail, String notice, CacheState state, boolean held) {
    var script = new Script(fail ? FAIL : DEFAULT);
    if (cached) {
      script.apply(received("v1"));
    }

    script.apply(named(event));

    assertThat(script.last()).startsWith(notice);
    assertThat(script.entry.state()).isEqualTo(state);
    assertThat(script.entry.held().isPresent()).isEqualTo(held);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
  @Conformance("A88-07")
  void onlyTwoCodesOfServerErrorsDropAResource(Code code) {
    var script = new Script(FAIL).apply(received("v1"));

    script.apply(serverError(code));

    boolean isDataError = EnumSet.of(Code.NOT_FOUND, Code.PERMISSION_DENIED).contains(code);
    assertThat(script.entry.held().isEmpty()).isEqualTo(isDataError);
    assertThat(script.last()).isEqualTo((isDataError ? "changed " : "ambient ") + code + ": e");
  }

  @Test
  void anErrorWithStatusOkIsUnspellable() {
    assertThatThrownBy(() -> serverError(Code.OK)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theTimerOfATransientServerEndsInTimeout() {
    var script = new Script(TRANSIENT_TIMER);

    script.apply(new TimerFired<>("late", NOW));

    assertThat(script.entry.state()).isEqualTo(CacheState.TIMEOUT);
    assertThat(script.told).containsExactly("changed UNAVAILABLE: late");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "received,        STOP",
    "rejected,        STOP",
    "NOT_FOUND,       STOP",
    "UNAVAILABLE,     STOP",
    "deleted,         KEEP",
    "stream failed,   KEEP",
    "recovered,       KEEP",
  })
  void anAnswerStopsTheTimer(String event, TimerAction timer) {
    Step<String> step =
        CacheTransition.apply(CacheEntry.requested(), named(event), ServerFeatures.NONE);

    assertThat(step.timer()).isEqualTo(timer);
  }

  @Test
  @Conformance("A57-35")
  void absenceOfWhatWasNeverReceivedIsNoDeletion() {
    var script = new Script(DEFAULT);

    script.apply(named("deleted"));

    assertThat(script.told).isEmpty();
    assertThat(script.entry).isEqualTo(CacheEntry.requested());
  }

  @Test
  void anEqualResourceIsNotToldAgainButItsVersionIsKept() {
    var script = new Script(DEFAULT).apply(received("same", "1"));

    script.apply(received("same", "2"));

    assertThat(script.told).containsExactly("changed same");
    assertThat(script.entry.held().orElseThrow().version()).isEqualTo("2");
  }

  @ParameterizedTest
  @CsvSource({"rejected", "deleted", "NOT_FOUND", "UNAVAILABLE", "stream failed"})
  void theSameResourceAgainClearsAnyAmbientError(String event) {
    var script = new Script(DEFAULT).apply(received("same")).apply(named(event));

    script.apply(received("same"));

    assertThat(script.last()).isEqualTo("ambient OK");
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.entry.error()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"rejected", "deleted", "NOT_FOUND"})
  void inFailModeTheSameResourceAgainRestoresIt(String event) {
    var script = new Script(FAIL).apply(received("same")).apply(named(event));

    script.apply(received("same"));

    assertThat(script.last()).isEqualTo("changed same");
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
  }

  @Test
  @Conformance("A88-11")
  void aResourceAfterAnExplicitErrorIsLiveAndClearsIt() {
    var script = new Script(DEFAULT).apply(serverError(Code.INTERNAL));

    script.apply(received("v1"));

    assertThat(script.told).containsExactly("changed INTERNAL: e", "changed v1");
    assertThat(script.entry.dataError()).isEmpty();
  }

  @Test
  @Conformance("A88-28")
  void theLatestErrorReplacesTheOneBefore() {
    var script = new Script(DEFAULT).apply(received("v1"));

    script.apply(rejected("first")).apply(rejected("second")).apply(named("stream failed"));

    assertThat(script.told)
        .endsWith(
            "ambient INVALID_ARGUMENT: first",
            "ambient INVALID_ARGUMENT: second",
            "ambient UNAVAILABLE: e");
    assertThat(script.entry.error()).contains(RpcStatus.unavailable("e"));
  }

  @Test
  void theSameErrorAgainIsCountedButNotTold() {
    var script = new Script(DEFAULT).apply(received("v1")).apply(rejected("bad"));

    script.apply(rejected("bad"));

    assertThat(script.told).containsExactly("changed v1", "ambient INVALID_ARGUMENT: bad");
    assertThat(script.entry.dataError().orElseThrow().count()).isEqualTo(2);
  }

  @Test
  @Conformance("A88-40")
  void deletionAfterARefusedVersionIsNoted() {
    var script = new Script(DEFAULT).apply(received("v1")).apply(rejected("bad"));

    script.apply(named("deleted"));

    assertThat(script.entry.state()).isEqualTo(CacheState.DOES_NOT_EXIST);
    assertThat(script.entry.held().orElseThrow().value()).isEqualTo("v1");
    script.apply(received("v2"));
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.last()).isEqualTo("changed v2");
  }

  @Test
  void anIgnoredDeletionIsNotedOnce() {
    var script = new Script(DEFAULT).apply(received("v1")).apply(named("deleted"));

    script.apply(named("deleted"));

    assertThat(script.told).containsExactly("changed v1", "ambient NOT_FOUND: e");
    assertThat(script.entry.dataError().orElseThrow().count()).isEqualTo(1);
  }

  @Test
  @Conformance("A88-47")
  void aResourceAnnouncedAgainAfterAnIgnoredDeletionIsNotDelivered() {
    var script = new Script(DEFAULT).apply(received("v1")).apply(named("deleted"));

    script.apply(received("v1"));

    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.told).containsExactly("changed v1", "ambient NOT_FOUND: e", "ambient OK");
  }

  @Test
  void recoveryEndsAConnectivityError() {
    var script = new Script(DEFAULT).apply(received("v1")).apply(named("stream failed"));

    script.apply(named("recovered"));

    assertThat(script.last()).isEqualTo("ambient OK");
  }

  @Test
  void recoveryBringsBackTheErrorOfTheResource() {
    var kept = new Script(DEFAULT).apply(received("v1")).apply(rejected("bad"));
    var none = new Script(DEFAULT).apply(new TimerFired<>("late", NOW));

    kept.apply(named("stream failed")).apply(named("recovered"));
    none.apply(named("stream failed")).apply(named("recovered"));

    assertThat(kept.last()).isEqualTo("ambient INVALID_ARGUMENT: bad");
    assertThat(none.last()).isEqualTo("changed NOT_FOUND: late");
  }

  @Test
  @Conformance("A88-44")
  void aTransientErrorAfterADropIsAFailureWithTheNewerText() {
    var script = new Script(FAIL).apply(received("v1")).apply(rejected("bad"));

    script.apply(named("stream failed"));

    assertThat(script.told)
        .containsExactly("changed v1", "changed INVALID_ARGUMENT: bad", "changed UNAVAILABLE: e");
  }

  @Test
  void aStreamErrorDoesNotChangeTheState() {
    for (CacheEntry<String> entry : everyEntry()) {
      var next =
          CacheTransition.apply(entry, new StreamFailed<>(RpcStatus.unavailable("e")), DEFAULT)
              .next();

      assertThat(next.state()).isEqualTo(entry.state());
      assertThat(next.held()).isEqualTo(entry.held());
      assertThat(next.dataError()).isEqualTo(entry.dataError());
    }
  }

  @Test
  void aTimerForSomethingNotAwaitedIsABug() {
    var script = new Script(DEFAULT).apply(received("v1"));

    assertThatThrownBy(() -> script.apply(new TimerFired<>("late", NOW)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ACKED");
  }

  @Test
  @Conformance("A88-38")
  void whoWatchesFromTheStartAndWhoComesLateKnowTheSame() {
    for (ServerFeatures features : List.of(DEFAULT, FAIL, TRANSIENT_TIMER)) {
      for (List<CacheEvent<String>> story : storiesOfFour()) {
        var script = new Script(features);
        for (CacheEvent<String> event : story) {
          if (!(event instanceof TimerFired) || script.entry.awaitsAnswer()) {
            script.apply(event);
          }
        }

        var late = new Knowledge();
        script.entry.replayTo(late);

        // A requested entry that recovered holds no error, but its watchers keep the last reason.
        if (script.entry.held().isPresent() || script.entry.error().isPresent()) {
          assertThat(late.toString()).as("%s %s", features, story).isEqualTo(script.knowledge());
        }
        assertThat(Optional.ofNullable(script.knows.resource))
            .as("in use exactly if held: %s %s", features, story)
            .isEqualTo(script.entry.held().map(CacheEntry.Held::value));
      }
    }
  }

  @Test
  @Conformance("A88-37")
  void statesHoldOnlyWhatTheyMay() {
    var held = Optional.of(new CacheEntry.Held<>("v1", raw("v1"), "1", NOW));
    var error =
        Optional.of(
            new CacheEntry.DataError(RpcStatus.unavailable("e"), "1", Optional.empty(), NOW, 1));
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

  private static List<CacheEntry<String>> everyEntry() {
    return List.of(
        new Script(DEFAULT).entry,
        new Script(DEFAULT).apply(received("v1")).entry,
        new Script(DEFAULT).apply(received("v1")).apply(rejected("bad")).entry,
        new Script(FAIL).apply(received("v1")).apply(named("deleted")).entry,
        new Script(DEFAULT).apply(serverError(Code.NOT_FOUND)).entry,
        new Script(TRANSIENT_TIMER).apply(new TimerFired<>("late", NOW)).entry);
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

  private static CacheEvent<String> named(String event) {
    return switch (event) {
      case "received" -> received("v1");
      case "rejected" -> rejected("e");
      case "deleted" -> new Deleted<>("e", "2", NOW);
      case "timer" -> new TimerFired<>("e", NOW);
      case "stream failed" -> new StreamFailed<>(RpcStatus.unavailable("e"));
      case "recovered" -> new StreamRecovered<>();
      default -> serverError(Code.valueOf(event));
    };
  }

  private static CacheEvent<String> received(String value) {
    return received(value, "1");
  }

  private static CacheEvent<String> received(String value, String version) {
    return new Received<>(value, raw(value), version, NOW);
  }

  private static CacheEvent<String> rejected(String message) {
    return new Rejected<>(message, raw("?"), "2", NOW);
  }

  private static CacheEvent<String> serverError(Code code) {
    return new ServerError<>(new RpcStatus(code, "e"), "2", NOW);
  }

  private static RawResource raw(String value) {
    return new RawResource("type", value.getBytes(StandardCharsets.UTF_8));
  }

  /** One entry, a watcher that was there from the start, and what it was told. */
  private static final class Script {
    final ServerFeatures features;
    final List<String> told = new ArrayList<>();
    final Knowledge knows = new Knowledge();
    CacheEntry<String> entry = CacheEntry.requested();

    Script(ServerFeatures features) {
      this.features = features;
    }

    Script apply(CacheEvent<String> event) {
      Step<String> step = CacheTransition.apply(entry, event, features);
      entry = step.next();
      step.notice().deliverTo(knows);
      step.notice()
          .deliverTo(
              new ResourceWatcher<>() {
                @Override
                public void onChanged(Outcome<String> resource) {
                  told.add("changed " + resource.match(value -> value, RpcStatus::toString));
                }

                @Override
                public void onAmbientError(RpcStatus status) {
                  told.add("ambient " + status);
                }
              });
      return this;
    }

    String last() {
      return told.get(told.size() - 1);
    }

    String knowledge() {
      return knows.toString();
    }
  }

  /** What a watcher believes, by the rules of A88 "Watcher API". */
  private static final class Knowledge implements ResourceWatcher<String> {
    @org.jspecify.annotations.Nullable String resource;
    RpcStatus error = RpcStatus.OK;

    @Override
    public void onChanged(Outcome<String> outcome) {
      resource = outcome.toOptional().orElse(null);
      error = outcome.status();
    }

    @Override
    public void onAmbientError(RpcStatus status) {
      error = status;
    }

    @Override
    public String toString() {
      return resource + " " + error;
    }
  }
}
