/**
 * Endpoints, grouped by locality and priority, and drop categories (A27, A61). All types are
 * immutable; any thread may use them.
 */
package io.outrigger.config.endpoint;
