/** Endpoints in localities in priorities, with drops (A27, A61). Immutable; any thread. */
@NullMarked
package io.outrigger.config.endpoint;

import org.jspecify.annotations.NullMarked;
