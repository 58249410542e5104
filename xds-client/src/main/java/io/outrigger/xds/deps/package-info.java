/**
 * The resource graph of one target, which leads from the listener's name to one complete {@code
 * XdsConfig}.
 *
 * <p>All code runs on the control loop, except the DNS lookups behind the interface {@code
 * DnsLookup}.
 *
 * <p>The package implements A74 (the dependency manager, consistent configurations), and A37 and
 * A75 (aggregates, LOGICAL_DNS). The package also implements A88 (notes and statuses for callers)
 * and A31 (clusters that calls in progress still use).
 */
package io.outrigger.xds.deps;
