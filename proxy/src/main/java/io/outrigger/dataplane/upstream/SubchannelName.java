package io.outrigger.dataplane.upstream;

import io.outrigger.config.endpoint.EndpointAddress;

/**
 * The subchannel that a connection belongs to, as status views name it.
 *
 * @param cluster the cluster that the target's routes name; for a leaf of an aggregate cluster, the
 *     aggregate
 * @param endpoint the endpoint's first address
 */
public record SubchannelName(TargetName target, String cluster, EndpointAddress endpoint) {
  /**
   * One target of a forward.
   *
   * @param target the configured target, such as {@code xds:///orders}
   * @param authority the data-plane authority, which distinguishes the targets of one forward
   */
  public record TargetName(String forward, String target, String authority) {}
}
