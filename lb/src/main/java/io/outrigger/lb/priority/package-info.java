/**
 * Sends calls to the first of several children that works. The policy runs on the control loop; its
 * picker is the chosen child's own picker. This package implements the priority policy (A56, with
 * A115's removal of retired children and A37's filter of re-resolution requests).
 */
@NullMarked
package io.outrigger.lb.priority;

import org.jspecify.annotations.NullMarked;
