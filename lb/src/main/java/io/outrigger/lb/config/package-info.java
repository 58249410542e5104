/**
 * The configuration of a tree as immutable values: {@link io.outrigger.lb.config.LbConfig}, the
 * configurations of all policies, and the tree's backends. {@code lb.tree} makes the configuration
 * from an {@code XdsConfig}; a part that equals its previous version stays the same object.
 */
@NullMarked
package io.outrigger.lb.config;

import org.jspecify.annotations.NullMarked;
