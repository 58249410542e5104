/** Decodes load reports of backends (A51); no other package uses ORCA's protobuf messages. */
@NullMarked
package io.outrigger.dataplane.orca;

import org.jspecify.annotations.NullMarked;
