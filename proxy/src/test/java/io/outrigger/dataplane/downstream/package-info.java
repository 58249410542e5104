/** Tests of the local side. */
@NullMarked
package io.outrigger.dataplane.downstream;

import org.jspecify.annotations.NullMarked;
