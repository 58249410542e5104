/**
 * What balancing counts for the control plane: requests by cluster and locality, drops by category,
 * what backends say of themselves (A27 load reporting, A64, A85). Records are immutable; the source
 * is read on the control loop.
 */
@NullMarked
package io.outrigger.config.load;

import org.jspecify.annotations.NullMarked;
