/**
 * What an API listener says: routes, HTTP filters, stream limits (A27, A31, A39). Immutable; any
 * thread.
 */
@NullMarked
package io.outrigger.config.listener;

import org.jspecify.annotations.NullMarked;
