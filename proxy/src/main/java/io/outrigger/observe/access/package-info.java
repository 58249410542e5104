/**
 * The access log ({@code --access-log}): one JSON line for each request, when it has ended. Event
 * loops only put what is to be said into a bounded queue; one thread of its own writes.
 */
@NullMarked
package io.outrigger.observe.access;

import org.jspecify.annotations.NullMarked;
