/**
 * The configuration of a tree as immutable values: {@link io.outrigger.lb.config.LbConfig} for the
 * policies, and the backends. {@code lb.tree} builds the configuration from an {@code XdsConfig}. A
 * part of the configuration that equals its previous version stays the same object.
 */
@NullMarked
package io.outrigger.lb.config;

import org.jspecify.annotations.NullMarked;
