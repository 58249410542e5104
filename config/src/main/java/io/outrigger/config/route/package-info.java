/**
 * Routes as records, and the matching of requests against them (A28, A31). All types are immutable;
 * any thread may use them.
 */
@NullMarked
package io.outrigger.config.route;

import org.jspecify.annotations.NullMarked;
