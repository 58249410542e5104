package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RequestView;
import io.outrigger.lb.SessionHint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A call as its filters see it; used on the call's event loop. */
@LoopConfined
public interface FilteredCall {
  RequestView request();

  RandomSource random();

  /** The request as RBAC judges it; only for filters of served listeners. */
  AuthorizationInput authorization();

  /** Reports the decision of an RBAC filter. */
  void decided(Rbac.Decision decision);

  String cluster();

  /** The clusters of a weighted route; empty for other routes. */
  Set<String> clusters();

  /**
   * Changes the call to another cluster of the route (A60 "Config Selector Changes"). Does nothing
   * when the named cluster is not in the route or was retired.
   */
  void changeCluster(String name);

  /** The session (A55) that an earlier filter set for the pick; null when no filter has set it. */
  @Nullable SessionHint session();

  /** Sets the session that all picks of the call use (A55). */
  void session(SessionHint hint);
}
