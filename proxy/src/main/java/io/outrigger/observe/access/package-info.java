/**
 * The access log ({@code --access-log}) with one JSON line for each ended request, and the audit
 * log of RBAC's decisions (A59). Event loops add log entries to a bounded queue; a separate thread
 * writes the entries.
 */
package io.outrigger.observe.access;
