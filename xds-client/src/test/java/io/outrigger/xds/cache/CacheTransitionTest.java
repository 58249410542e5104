package io.outrigger.xds.cache;

import static io.outrigger.xds.cache.CacheScript.DEFAULT;
import static io.outrigger.xds.cache.CacheScript.FAIL;
import static io.outrigger.xds.cache.CacheScript.NOW;
import static io.outrigger.xds.cache.CacheScript.TRANSIENT_TIMER;
import static io.outrigger.xds.cache.CacheScript.named;
import static io.outrigger.xds.cache.CacheScript.received;
import static io.outrigger.xds.cache.CacheScript.rejected;
import static io.outrigger.xds.cache.CacheScript.serverError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.cache.CacheEvent.StreamFailed;
import io.outrigger.xds.cache.CacheEvent.TimerFired;
import io.outrigger.xds.cache.CacheTransition.Step;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheTransitionTest {
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
  @Conformance({
    "A88-01", "A88-02", "A88-03", "A88-04", "A88-05", "A88-06", "A88-08", "A88-15", "A88-36"
  })
  void followsTheTableOfTheSpec(
      String event, boolean cached, boolean fail, String notice, CacheState state, boolean held) {
    var script = new CacheScript(fail ? FAIL : DEFAULT);
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
    var script = new CacheScript(FAIL).apply(received("v1"));

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
    var script = new CacheScript(TRANSIENT_TIMER);

    script.apply(new TimerFired<>("late", NOW));

    assertThat(script.entry.state()).isEqualTo(CacheState.TIMEOUT);
    assertThat(script.told).containsExactly("changed UNAVAILABLE: late");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "received,        true",
    "rejected,        false",
    "NOT_FOUND,       false",
    "UNAVAILABLE,     false",
    "timer,           true",
    "deleted,         false",
    "stream failed,   false",
    "recovered,       false",
  })
  void theResourceOrItsAbsenceStopsTheTimersOfAllServers(String event, boolean stops) {
    Step<String> step =
        CacheTransition.apply(CacheEntry.requested(), named(event), ServerFeatures.NONE);

    assertThat(step.stopsTimers()).isEqualTo(stops);
  }

  @Test
  void theDeletionOfAStaleResourceStopsTheTimers() {
    var kept = ((CacheEvent.Received<String>) received("kept")).held();
    CacheEntry<String> stale = after(CacheEntry.requested(), new CacheEvent.Restored<>(kept));

    assertThat(CacheTransition.apply(stale, named("deleted"), DEFAULT).stopsTimers()).isTrue();
  }

  @Test
  @Conformance("A57-35")
  void absenceOfWhatWasNeverReceivedIsNoDeletion() {
    var script = new CacheScript(DEFAULT);

    script.apply(named("deleted"));

    assertThat(script.told).isEmpty();
    assertThat(script.entry).isEqualTo(CacheEntry.requested());
  }

  @Test
  void anEqualResourceIsNotToldAgainButItsVersionIsKept() {
    var script = new CacheScript(DEFAULT).apply(received("same", "1"));

    script.apply(received("same", "2"));

    assertThat(script.told).containsExactly("changed same");
    assertThat(script.entry.held().orElseThrow().version()).isEqualTo("2");
  }

  @ParameterizedTest
  @CsvSource({"rejected", "deleted", "NOT_FOUND", "UNAVAILABLE", "stream failed"})
  void theSameResourceAgainClearsAnyAmbientError(String event) {
    var script = new CacheScript(DEFAULT).apply(received("same")).apply(named(event));

    script.apply(received("same"));

    assertThat(script.last()).isEqualTo("ambient OK");
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.entry.error()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"rejected", "deleted", "NOT_FOUND"})
  void inFailModeTheSameResourceAgainRestoresIt(String event) {
    var script = new CacheScript(FAIL).apply(received("same")).apply(named(event));

    script.apply(received("same"));

    assertThat(script.last()).isEqualTo("changed same");
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
  }

  @Test
  @Conformance("A88-11")
  void aResourceAfterAnExplicitErrorIsLiveAndClearsIt() {
    var script = new CacheScript(DEFAULT).apply(serverError(Code.INTERNAL));

    script.apply(received("v1"));

    assertThat(script.told).containsExactly("changed INTERNAL: e", "changed v1");
    assertThat(script.entry.dataError()).isEmpty();
  }

  @Test
  @Conformance("A88-28")
  void theLatestErrorReplacesTheOneBefore() {
    var script = new CacheScript(DEFAULT).apply(received("v1"));

    script.apply(rejected("first")).apply(rejected("second")).apply(named("stream failed"));

    assertThat(script.told)
        .endsWith(
            "ambient INVALID_ARGUMENT: first",
            "ambient INVALID_ARGUMENT: second",
            "ambient UNAVAILABLE: e");
    assertThat(script.entry.error()).contains(RpcStatus.unavailable("e"));
  }

  @Test
  void theSameErrorAgainIsNotTold() {
    var script = new CacheScript(DEFAULT).apply(received("v1")).apply(rejected("bad"));

    script.apply(rejected("bad"));

    assertThat(script.told).containsExactly("changed v1", "ambient INVALID_ARGUMENT: bad");
  }

  @Test
  @Conformance("A88-40")
  void deletionAfterARefusedVersionIsNoted() {
    var script = new CacheScript(DEFAULT).apply(received("v1")).apply(rejected("bad"));

    script.apply(named("deleted"));

    assertThat(script.entry.state()).isEqualTo(CacheState.DOES_NOT_EXIST);
    assertThat(script.entry.held().orElseThrow().value()).isEqualTo("v1");
    script.apply(received("v2"));
    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.last()).isEqualTo("changed v2");
  }

  @Test
  @Conformance({"A57-34", "A31-09"})
  void aRefusedResourceIsDeletedLikeOneInUse() {
    for (ServerFeatures features : List.of(DEFAULT, FAIL)) {
      var script = new CacheScript(features).apply(rejected("bad"));

      script.apply(named("deleted"));

      assertThat(script.entry.state()).isEqualTo(CacheState.DOES_NOT_EXIST);
      assertThat(script.told)
          .containsExactly("changed INVALID_ARGUMENT: bad", "changed NOT_FOUND: e");
      assertThat(
              new CacheScript(features)
                  .apply(named("INTERNAL"))
                  .apply(named("deleted"))
                  .entry
                  .state())
          .isEqualTo(CacheState.DOES_NOT_EXIST);
    }
  }

  @Test
  void anIgnoredDeletionIsNotedOnce() {
    var script = new CacheScript(DEFAULT).apply(received("v1")).apply(named("deleted"));

    script.apply(named("deleted"));

    assertThat(script.told).containsExactly("changed v1", "ambient NOT_FOUND: e");
  }

  @Test
  @Conformance("A88-47")
  void aResourceAnnouncedAgainAfterAnIgnoredDeletionIsNotDelivered() {
    var script = new CacheScript(DEFAULT).apply(received("v1")).apply(named("deleted"));

    script.apply(received("v1"));

    assertThat(script.entry.state()).isEqualTo(CacheState.ACKED);
    assertThat(script.told).containsExactly("changed v1", "ambient NOT_FOUND: e", "ambient OK");
  }

  @Test
  void recoveryEndsAConnectivityError() {
    var script = new CacheScript(DEFAULT).apply(received("v1")).apply(named("stream failed"));

    script.apply(named("recovered"));

    assertThat(script.last()).isEqualTo("ambient OK");
  }

  @Test
  void recoveryBringsBackTheErrorOfTheResource() {
    var kept = new CacheScript(DEFAULT).apply(received("v1")).apply(rejected("bad"));
    var none = new CacheScript(DEFAULT).apply(new TimerFired<>("late", NOW));

    kept.apply(named("stream failed")).apply(named("recovered"));
    none.apply(named("stream failed")).apply(named("recovered"));

    assertThat(kept.last()).isEqualTo("ambient INVALID_ARGUMENT: bad");
    assertThat(none.last()).isEqualTo("changed NOT_FOUND: late");
  }

  @Test
  @Conformance("A88-44")
  void aTransientErrorAfterADropIsAFailureWithTheNewerText() {
    var script = new CacheScript(FAIL).apply(received("v1")).apply(rejected("bad"));

    script.apply(named("stream failed"));

    assertThat(script.told)
        .containsExactly("changed v1", "changed INVALID_ARGUMENT: bad", "changed UNAVAILABLE: e");
  }

  @ParameterizedTest
  @CsvSource({
    "deleted,           NOT_FOUND: e; lost",
    "NOT_FOUND,         NOT_FOUND: e; lost",
    "PERMISSION_DENIED, PERMISSION_DENIED: e; lost",
    "rejected,          UNAVAILABLE: lost"
  })
  @Conformance({"A31-09", "A88-44"})
  void anOutageDoesNotHideThatAResourceDoesNotExist(String event, String error) {
    var script = new CacheScript(FAIL).apply(received("v1")).apply(named(event));

    script.apply(new StreamFailed<>(RpcStatus.unavailable("lost")));

    assertThat(script.last()).isEqualTo("changed " + error);
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
    var script = new CacheScript(DEFAULT).apply(received("v1"));

    assertThatThrownBy(() -> script.apply(new TimerFired<>("late", NOW)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ACKED");
  }

  private static List<CacheEntry<String>> everyEntry() {
    return List.of(
        new CacheScript(DEFAULT).entry,
        new CacheScript(DEFAULT).apply(received("v1")).entry,
        new CacheScript(DEFAULT).apply(received("v1")).apply(rejected("bad")).entry,
        new CacheScript(FAIL).apply(received("v1")).apply(named("deleted")).entry,
        new CacheScript(DEFAULT).apply(serverError(Code.NOT_FOUND)).entry,
        new CacheScript(TRANSIENT_TIMER).apply(new TimerFired<>("late", NOW)).entry);
  }

  @Conformance("ST-02")
  @ParameterizedTest
  @ValueSource(strings = {"rejected", "UNAVAILABLE"})
  void aKeptResourceStaysStaleAfterAnErrorAndIsDroppedWhenItIsGone(String error) {
    var kept = ((CacheEvent.Received<String>) received("kept")).held();
    CacheEntry<String> stale = after(CacheEntry.requested(), new CacheEvent.Restored<>(kept));

    CacheEntry<String> failed = after(stale, named(error));
    assertThat(failed.state()).isEqualTo(CacheState.STALE);
    assertThat(failed.dataError()).isPresent();

    assertThat(after(failed, named("deleted")).held()).isEmpty();
    assertThat(after(failed, received("new")).state()).isEqualTo(CacheState.ACKED);
  }

  private static CacheEntry<String> after(CacheEntry<String> entry, CacheEvent<String> event) {
    return CacheTransition.apply(entry, event, DEFAULT).next();
  }
}
