/** Tests of served ports. */
@NullMarked
package io.outrigger.dataplane.serve;

import org.jspecify.annotations.NullMarked;
