/**
 * Decodes load reports of backends (A51). The functions are pure and run on event loops. Code
 * outside of this package does not use the protobuf messages of ORCA.
 */
@NullMarked
package io.outrigger.dataplane.orca;

import org.jspecify.annotations.NullMarked;
