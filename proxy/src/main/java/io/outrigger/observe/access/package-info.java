/**
 * The access log ({@code --access-log}) with one JSON line for each ended request. Event loops only
 * add entries to a bounded queue; a separate thread writes them.
 */
@NullMarked
package io.outrigger.observe.access;

import org.jspecify.annotations.NullMarked;
