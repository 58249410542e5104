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

  /**
   * The request and its caller, as the RBAC filter sees them. Only filters of served listeners may
   * call this method.
   */
  AuthorizationInput authorization();

  /** Reports the decision of an RBAC filter. */
  void decided(Rbac.Decision decision);

  String cluster();

  /** All clusters of a weighted route; empty when the route has only one cluster. */
  Set<String> clusters();

  /**
   * Changes the call to another cluster of the route (A60 "Config Selector Changes"). Does nothing
   * when the route does not have the new cluster, or when the new cluster was retired.
   */
  void changeCluster(String name);

  /** The session hint that an earlier filter set; null when no filter has set one. */
  @Nullable SessionHint session();

  /** Sets the session hint that every pick of the call receives from now on (A55). */
  void session(SessionHint hint);
}
