/**
 * The configuration of a tree as immutable values: policies ({@link
 * io.outrigger.lb.config.LbConfig}) and backends. {@code lb.tree} builds the configuration from an
 * {@code XdsConfig}. A part of the tree that an update does not change stays the same object.
 */
package io.outrigger.lb.config;
