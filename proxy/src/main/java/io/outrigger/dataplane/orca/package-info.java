/**
 * Load reports of backends as they come over the wire (A51). Pure functions, for event loops; where
 * protobuf ends.
 */
@NullMarked
package io.outrigger.dataplane.orca;

import org.jspecify.annotations.NullMarked;
