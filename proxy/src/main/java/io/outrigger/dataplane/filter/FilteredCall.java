package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.RequestView;
import io.outrigger.lb.SessionHint;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A call as its filters see it, on its event loop. */
@LoopConfined
public interface FilteredCall {
  /** The request, as the filters before have left it. */
  RequestView request();

  RandomSource random();

  /** Changes the head that goes upstream, and that all that follows sees; on the request's way. */
  void editRequest(Consumer<HeaderEdits> edits);

  /** The cluster that the call is balanced in. */
  String cluster();

  /** All clusters that the route may choose; empty when it has but one. */
  Set<String> clusters();

  /**
   * Takes another cluster of the route for the call (A60 "Config Selector Changes"); the call stays
   * where it is when the route has no such cluster, or has none any more.
   */
  void changeCluster(String name);

  /** What an earlier filter tells picks; null when none does. */
  @Nullable SessionHint session();

  /** From now on every pick of the call is told so (A55). */
  void session(SessionHint hint);
}
