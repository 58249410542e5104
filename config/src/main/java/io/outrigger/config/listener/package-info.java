/**
 * The content of an API listener: routes, HTTP filters and stream limits (A27, A31, A39). All types
 * are immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.listener;

import org.jspecify.annotations.NullMarked;
