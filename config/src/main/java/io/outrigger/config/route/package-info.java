/** Routes as data, and the matching that belongs to the data (A28, A31). Immutable; any thread. */
@NullMarked
package io.outrigger.config.route;

import org.jspecify.annotations.NullMarked;
