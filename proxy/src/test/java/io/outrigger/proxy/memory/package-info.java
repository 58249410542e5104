/** Tests of what peers make the process hold. */
@NullMarked
package io.outrigger.proxy.memory;

import org.jspecify.annotations.NullMarked;
