/**
 * Choosing the first of several children that works. Control loop; the picker in force is the
 * chosen child's own. Implements the priority policy (A56, with A115's removal of retired children
 * and A37's filter of re-resolution requests).
 */
@NullMarked
package io.outrigger.lb.priority;

import org.jspecify.annotations.NullMarked;
