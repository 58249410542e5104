/**
 * What a tree is to be, as immutable values: {@link io.outrigger.lb.config.LbConfig}, the grammar
 * of the tree, and the backends that it is over. Made from an {@code XdsConfig} by {@code lb.tree};
 * what is equal to what was there before is the same object.
 */
@NullMarked
package io.outrigger.lb.config;

import org.jspecify.annotations.NullMarked;
