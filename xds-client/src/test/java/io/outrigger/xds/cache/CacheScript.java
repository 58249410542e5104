package io.outrigger.xds.cache;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
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
import io.outrigger.xds.overlay.Overlay;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One entry under a sequence of events, and what a watcher that was there from the start heard. */
final class CacheScript {
  static final ServerFeatures DEFAULT = ServerFeatures.NONE;
  static final ServerFeatures FAIL = new ServerFeatures(false, true, false);
  static final ServerFeatures TRANSIENT_TIMER = new ServerFeatures(false, false, true);
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  static final XdsServer SERVER =
      new XdsServer("cp.test:443", new XdsServer.ChannelCredentials.Insecure(), List.of(), DEFAULT);

  final ServerFeatures features;
  final List<String> told = new ArrayList<>();
  final Knowledge knows = new Knowledge();
  CacheEntry<String> entry = CacheEntry.requested();

  CacheScript(ServerFeatures features) {
    this.features = features;
  }

  CacheScript apply(CacheEvent<String> event) {
    Step<String> step = CacheTransition.apply(entry, event, features);
    entry = step.next();
    step.notifyWatcher(knows);
    step.notifyWatcher(
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

  static CacheEvent<String> named(String event) {
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

  static CacheEvent<String> received(String value) {
    return received(value, "1");
  }

  static CacheEvent<String> received(String value, String version) {
    return new Received<>(
        new CacheEntry.Held<>(value, raw(value), version, NOW, SERVER, Overlay.NONE));
  }

  static CacheEvent<String> rejected(String message) {
    return new Rejected<>(message, raw("?"), "2", NOW);
  }

  static CacheEvent<String> serverError(Code code) {
    return new ServerError<>(new RpcStatus(code, "e"), "2", NOW);
  }

  static RawResource raw(String value) {
    return new RawResource("type", value.getBytes(StandardCharsets.UTF_8));
  }

  /** What a watcher believes, by the rules of A88 "Watcher API". */
  static final class Knowledge implements ResourceWatcher<String> {
    @Nullable String resource;
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
