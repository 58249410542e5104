package io.outrigger.dataplane.upstream;

import io.outrigger.config.endpoint.EndpointAddress;

/**
 * Which subchannel a connection is of, as status views name it.
 *
 * @param cluster the cluster of the target's routes; an aggregate, where it is one of its leaves'
 * @param endpoint the endpoint's first address
 */
public record SubchannelName(TargetName target, String cluster, EndpointAddress endpoint) {
  /** Subchannels that no status view shows. */
  static final TargetName UNNAMED = new TargetName("", "", "");

  /**
   * One target of a forward.
   *
   * @param target as configured, such as {@code xds:///orders}
   * @param authority the data-plane authority, which tells a forward's targets apart
   */
  public record TargetName(String forward, String target, String authority) {}
}
