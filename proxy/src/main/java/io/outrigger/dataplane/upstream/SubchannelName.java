package io.outrigger.dataplane.upstream;

import io.outrigger.config.endpoint.EndpointAddress;

/**
 * The name of a connection's subchannel in status views.
 *
 * @param cluster the cluster as named by routes, such as an aggregate cluster
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
