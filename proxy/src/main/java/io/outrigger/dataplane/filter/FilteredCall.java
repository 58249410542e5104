package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RequestView;
import io.outrigger.lb.SessionHint;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The view of a call that filters get; used on the call's event loop. */
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
   * when the route does not have the cluster, or when the cluster was retired.
   */
  void changeCluster(String name);

  /** The session hint that an earlier filter set; null when no filter has set a hint. */
  @Nullable SessionHint session();

  /** Sets the session hint for all picks of the call (A55). */
  void session(SessionHint hint);
}
