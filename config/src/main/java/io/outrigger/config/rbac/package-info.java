/**
 * Authorization of requests by RBAC (A41) and the record of its decisions (A59): policies, which
 * are permissions and principals, and the decision about a request. All types are immutable; any
 * thread may use them.
 */
@NullMarked
package io.outrigger.config.rbac;

import org.jspecify.annotations.NullMarked;
