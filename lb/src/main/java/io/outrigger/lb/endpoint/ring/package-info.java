/**
 * Choosing an endpoint by the hash of the request, so that equal requests meet equal endpoints.
 * Control loop; its picker runs on event loops. Implements ring_hash (A42, with A61 "Ring Hash" and
 * A76).
 */
@NullMarked
package io.outrigger.lb.endpoint.ring;

import org.jspecify.annotations.NullMarked;
