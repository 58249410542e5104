/** Tests of what peers make the process hold. */
@NullMarked
package io.outrigger.dataplane.memory;

import org.jspecify.annotations.NullMarked;
