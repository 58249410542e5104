package io.outrigger.dataplane.filter;

import java.util.Optional;

/**
 * The decision of a filter about a request, for explanations.
 *
 * @param filter the name of the HTTP filter in the listener; empty for a refusal by the proxy
 * @param action the action of the filter's policies; empty without policies
 * @param policy the policy that decides; empty when none matches
 * @param refusal the answer to the request; empty when the filter passes the request
 */
public record FilterVerdict(
    String filter, String action, Optional<String> policy, Optional<FilterStep.Answer> refusal) {}
