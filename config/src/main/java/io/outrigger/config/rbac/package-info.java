/**
 * Authorization of requests by RBAC (A41) and the settings for audit logs of its decisions (A59).
 * RBAC policies consist of permissions and principals. All types are immutable; any thread may use
 * them.
 */
package io.outrigger.config.rbac;
