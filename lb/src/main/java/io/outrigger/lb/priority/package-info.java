/**
 * Sends calls to the first working child in a list of children. The policy runs on the control loop
 * and publishes the picker of the chosen child. This package implements the priority policy (A56),
 * with A115's removal of children and A37's filter of re-resolution requests.
 */
package io.outrigger.lb.priority;
