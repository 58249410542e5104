/**
 * Picks the least busy of a few endpoints drawn at random. The policy runs on the control loop; its
 * picker and its counters are used on event loops. This package implements least_request (A48, with
 * A61 "Least Request").
 */
@NullMarked
package io.outrigger.lb.endpoint.least;

import org.jspecify.annotations.NullMarked;
