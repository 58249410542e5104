/**
 * The configuration of a tree as immutable values: {@link io.outrigger.lb.config.LbConfig}, the
 * grammar of the tree, and its backends. {@code lb.tree} makes it from an {@code XdsConfig}; a part
 * that is equal to the one before is the same object.
 */
@NullMarked
package io.outrigger.lb.config;

import org.jspecify.annotations.NullMarked;
