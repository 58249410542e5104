/**
 * Endpoints, grouped by locality and priority, and drop categories (A27, A61). All types are
 * immutable; any thread may use them.
 */
@NullMarked
package io.outrigger.config.endpoint;

import org.jspecify.annotations.NullMarked;
