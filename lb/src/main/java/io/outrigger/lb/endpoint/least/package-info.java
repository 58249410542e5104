/**
 * Choosing the least busy of a few endpoints drawn at random. Control loop; its picker and its
 * counters are used on event loops. Implements least_request (A48, with A61 "Least Request").
 */
@NullMarked
package io.outrigger.lb.endpoint.least;

import org.jspecify.annotations.NullMarked;
