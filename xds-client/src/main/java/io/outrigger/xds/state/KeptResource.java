package io.outrigger.xds.state;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.RawResource;
import java.time.Instant;

/**
 * A resource as a control plane sent it.
 *
 * @param server the URI of the control plane
 * @param at the time at which the resource was received
 */
@AnyThread
public record KeptResource(
    Key key, String server, String version, Instant at, RawResource resource) {
  /**
   * The identity of a resource.
   *
   * @param scope the target whose client holds the resource; empty if all targets share a client
   * @param type the label of the resource type, such as {@code lds}
   */
  public record Key(String scope, String type, String name) {}
}
