package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.AuditLoggingOptions;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.AuditLoggingOptions.AuditLoggerConfig;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBACPerRoute;
import io.envoyproxy.envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog;
import io.envoyproxy.envoy.type.matcher.v3.PathMatcher;
import io.outrigger.base.CidrRange;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.rbac.Rbac.Action;
import io.outrigger.config.rbac.Rbac.Audit;
import io.outrigger.config.route.HeaderMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Decodes the RBAC filter and its overrides (A41), and its audit loggers (A59). Every unsupported
 * part is an error, because ignoring the part could allow a request that the policy denies
 * (decision xds-0075). Shadow rules and statistics are ignored, because they affect no decision.
 */
@SuppressWarnings("deprecation") // istiod still sends the deprecated fields
final class RbacDecoder {
  static final String TYPE = "envoy.extensions.filters.http.rbac.v3.RBAC";
  static final String OVERRIDE_TYPE = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute";
  static final String STDOUT_LOGGER =
      "envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog";

  private static final String AUTHORITY = ":authority";

  /** Connection-specific header fields, which count as absent (RFC 9113 section 8.2.2). */
  private static final Set<String> HOP_BY_HOP =
      Set.of("te", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

  /** An override without {@code rbac} switches the filter off. */
  static final FilterDecoder DECODER =
      new FilterDecoder(
          TYPE,
          (config, errors) ->
              config
                  .readStrictly(RBACPerRoute.getDefaultInstance().getRbac(), errors)
                  .map(proto -> filter(proto, errors)),
          OVERRIDE_TYPE,
          (config, errors) ->
              config
                  .readStrictly(RBACPerRoute.getDefaultInstance(), errors)
                  .map(
                      proto -> {
                        refuseOwnUnknownFields(proto, errors);
                        return filter(proto.getRbac(), errors.at("rbac"));
                      }));

  private RbacDecoder() {}

  private static Rbac filter(
      io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC proto, FieldErrors errors) {
    if (proto.hasMatcher()) {
      errors.at("matcher").add("is not supported; use rules");
    }
    refuseOwnUnknownFields(proto, errors);
    return proto.hasRules() ? rules(proto.getRules(), errors.at("rules")) : Rbac.OFF;
  }

  private static Rbac rules(RBAC proto, FieldErrors errors) {
    return switch (proto.getAction()) {
      case ALLOW -> rules(Action.ALLOW, proto, errors);
      case DENY -> rules(Action.DENY, proto, errors);
      case LOG -> Rbac.OFF; // A41: as if there were no rules
      case UNRECOGNIZED -> {
        errors.at("action").add(proto.getActionValue() + " is unknown; must be ALLOW, DENY or LOG");
        yield Rbac.OFF;
      }
    };
  }

  private static Rbac rules(Action action, RBAC proto, FieldErrors errors) {
    List<Rbac.Policy> policies = new ArrayList<>();
    new TreeMap<>(proto.getPoliciesMap())
        .forEach((name, policy) -> policies.add(policy(name, policy, errors.at("policies", name))));
    refuseUnknownFields(proto.toBuilder().clearPolicies().build(), errors);
    Audit audit = audit(proto.getAuditLoggingOptions(), errors.at("audit_logging_options"));
    return new Rbac(Optional.of(new Rbac.Rules(action, policies, audit)));
  }

  private static Rbac.Policy policy(String name, Policy proto, FieldErrors errors) {
    if (proto.hasCondition() || proto.hasCheckedCondition()) {
      errors
          .at(proto.hasCondition() ? "condition" : "checked_condition")
          .add("is not supported; express it by permissions and principals");
    }
    refuseUnknownFields(proto, errors);
    return new Rbac.Policy(
        name,
        Criterion.any(
            errors.each("permissions", proto.getPermissionsList(), RbacDecoder::permission)),
        Criterion.any(
            errors.each("principals", proto.getPrincipalsList(), RbacDecoder::principal)));
  }

  private static void refuseOwnUnknownFields(Message message, FieldErrors errors) {
    if (!message.getUnknownFields().asMap().isEmpty()) {
      errors.add("has unknown fields: " + message.getUnknownFields().asMap().keySet());
    }
  }

  private static void refuseUnknownFields(Message message, FieldErrors errors) {
    refuseOwnUnknownFields(message, errors);
    for (var field : message.getAllFields().entrySet()) {
      List<?> values = field.getValue() instanceof List<?> list ? list : List.of(field.getValue());
      for (int i = 0; i < values.size(); i++) {
        if (values.get(i) instanceof Message part) {
          int index = field.getKey().isRepeated() ? i : -1;
          refuseUnknownFields(part, errors.at(field.getKey().getName(), index));
        }
      }
    }
  }

  private static Audit audit(AuditLoggingOptions proto, FieldErrors errors) {
    int loggers = 0;
    for (int i = 0; i < proto.getLoggerConfigsCount(); i++) {
      AuditLoggerConfig logger = proto.getLoggerConfigs(i);
      FieldErrors here = errors.at("logger_configs", i).at("audit_logger").at("typed_config");
      Optional<TypedConfig> typed = TypedConfig.of(logger.getAuditLogger().getTypedConfig(), here);
      if (typed.isPresent() && typed.get().typeName().equals(STDOUT_LOGGER)) {
        typed.get().read(StdoutAuditLog.getDefaultInstance(), here); // must be readable
        loggers++;
      } else if (typed.isPresent() && !logger.getIsOptional()) {
        here.add(
            "audit logger "
                + quoted(logger.getAuditLogger().getName())
                + " of type "
                + typed.get().quotedType()
                + " is not supported; supported: "
                + STDOUT_LOGGER
                + "; mark it is_optional to have it ignored");
      }
    }
    return switch (proto.getAuditCondition()) {
      case NONE -> Audit.NONE;
      case ON_DENY -> new Audit(true, false, loggers);
      case ON_ALLOW -> new Audit(false, true, loggers);
      case ON_DENY_AND_ALLOW -> new Audit(true, true, loggers);
      case UNRECOGNIZED -> {
        errors
            .at("audit_condition")
            .add(
                proto.getAuditConditionValue()
                    + " is unknown; must be NONE, ON_DENY, ON_ALLOW or ON_DENY_AND_ALLOW");
        yield Audit.NONE;
      }
    };
  }

  private static Optional<? extends Criterion> permission(Permission proto, FieldErrors errors) {
    FieldErrors here = errors.at(FieldErrors.fieldOf(proto.getRuleCase()));
    return switch (proto.getRuleCase()) {
      case AND_RULES -> permissions(proto.getAndRules(), Criterion::all, here);
      case OR_RULES -> permissions(proto.getOrRules(), Criterion::any, here);
      case NOT_RULE -> permission(proto.getNotRule(), here).map(Criterion.Not::new);
      case ANY -> any(proto.getAny(), here);
      case HEADER -> header(proto.getHeader(), here);
      case URL_PATH -> path(proto.getUrlPath(), here);
      case DESTINATION_IP -> range(proto.getDestinationIp(), here).map(Criterion.LocalAddress::new);
      case DESTINATION_PORT -> {
        long port = Integer.toUnsignedLong(proto.getDestinationPort());
        yield ports(port, port + 1, here);
      }
      case DESTINATION_PORT_RANGE ->
          ports(
              proto.getDestinationPortRange().getStart(),
              proto.getDestinationPortRange().getEnd(),
              here);
      case METADATA -> // A41: requests have no metadata
          Optional.of(new Criterion.Constant(proto.getMetadata().getInvert()));
      case REQUESTED_SERVER_NAME -> // A41: matched against an empty server name
          MatcherDecoder.text(proto.getRequestedServerName(), here)
              .map(matcher -> new Criterion.Constant(matcher.matches("")));
      case MATCHER, URI_TEMPLATE, SOURCED_METADATA -> unsupported(here);
      case RULE_NOT_SET -> errors.refuse("no permission, or an unknown one");
    };
  }

  /** An empty port range is an error: a DENY policy with it would deny nothing (xds-0075). */
  private static Optional<? extends Criterion> ports(long start, long end, FieldErrors errors) {
    return Math.max(start, 1) >= Math.min(end, 65_536)
        ? errors.refuse("contains no port from 1 to 65535")
        : Optional.of(new Criterion.LocalPort((int) start, (int) end));
  }

  private static Optional<? extends Criterion> principal(Principal proto, FieldErrors errors) {
    FieldErrors here = errors.at(FieldErrors.fieldOf(proto.getIdentifierCase()));
    return switch (proto.getIdentifierCase()) {
      case AND_IDS -> principals(proto.getAndIds(), Criterion::all, here);
      case OR_IDS -> principals(proto.getOrIds(), Criterion::any, here);
      case NOT_ID -> principal(proto.getNotId(), here).map(Criterion.Not::new);
      case ANY -> any(proto.getAny(), here);
      case HEADER -> header(proto.getHeader(), here);
      case URL_PATH -> path(proto.getUrlPath(), here);
      case SOURCE_IP -> range(proto.getSourceIp(), here).map(Criterion.PeerAddress::new);
      case DIRECT_REMOTE_IP ->
          range(proto.getDirectRemoteIp(), here).map(Criterion.PeerAddress::new);
      case REMOTE_IP -> range(proto.getRemoteIp(), here).map(Criterion.PeerAddress::new);
      case METADATA -> // A41: requests have no metadata
          Optional.of(new Criterion.Constant(proto.getMetadata().getInvert()));
      case AUTHENTICATED ->
          proto.getAuthenticated().hasPrincipalName()
              ? MatcherDecoder.text(
                      proto.getAuthenticated().getPrincipalName(), here.at("principal_name"))
                  .map(name -> new Criterion.Authenticated(Optional.of(name)))
              : Optional.of(new Criterion.Authenticated(Optional.empty()));
      case FILTER_STATE, SOURCED_METADATA, CUSTOM -> unsupported(here);
      case IDENTIFIER_NOT_SET -> errors.refuse("no principal, or an unknown one");
    };
  }

  private static Optional<Criterion> permissions(
      Permission.Set proto, Function<List<Criterion>, Criterion> type, FieldErrors errors) {
    return combined(
        errors.each("rules", proto.getRulesList(), RbacDecoder::permission), type, errors);
  }

  private static Optional<Criterion> principals(
      Principal.Set proto, Function<List<Criterion>, Criterion> type, FieldErrors errors) {
    return combined(errors.each("ids", proto.getIdsList(), RbacDecoder::principal), type, errors);
  }

  private static Optional<Criterion> combined(
      List<Criterion> criteria, Function<List<Criterion>, Criterion> type, FieldErrors errors) {
    if (criteria.isEmpty()) {
      return errors.refuse("holds nothing to combine; give at least one");
    }
    return Optional.of(type.apply(criteria));
  }

  private static Optional<Criterion> any(boolean value, FieldErrors errors) {
    if (!value) {
      errors.add("is false, which has no meaning; must be true");
    }
    return Optional.of(Criterion.ALWAYS);
  }

  /** Decodes a range. In RBAC, a prefix longer than the address is an error, unlike in A36. */
  private static Optional<CidrRange> range(
      io.envoyproxy.envoy.config.core.v3.CidrRange proto, FieldErrors errors) {
    int bits = proto.getAddressPrefix().indexOf(':') < 0 ? 32 : CidrRange.MAX_LENGTH;
    int length = proto.getPrefixLen().getValue();
    if (Integer.compareUnsigned(length, bits) > 0) {
      return errors
          .at("prefix_len")
          .refuse(Integer.toUnsignedString(length) + " is more than " + bits);
    }
    return AddressDecoder.range(proto, errors);
  }

  private static Optional<Criterion> path(PathMatcher proto, FieldErrors errors) {
    return MatcherDecoder.text(proto.getPath(), errors.at("path")).map(Criterion.Path::new);
  }

  private static Optional<Criterion> header(
      io.envoyproxy.envoy.config.route.v3.HeaderMatcher proto, FieldErrors errors) {
    Optional<HeaderMatcher> decoded = MatcherDecoder.header(proto, errors);
    if (decoded.isEmpty()) {
      return Optional.empty();
    }
    HeaderMatcher matcher = decoded.get();
    String name = matcher.name();
    if (name.isEmpty() || name.startsWith("grpc-") || name.equals(":scheme")) {
      errors.at("name").add(quoted(name) + " cannot be matched; A41 excludes it");
    }
    if (proto.getTreatMissingHeaderAsEmpty()) { // A41: an absent header does not match
      errors.at("treat_missing_header_as_empty").add("is not supported; must be false");
    }
    if (HOP_BY_HOP.contains(name)) {
      return Optional.of(new Criterion.Constant(matcher.matches((String) null)));
    }
    return Optional.of(new Criterion.Header(name.equals("host") ? AUTHORITY : name, matcher));
  }

  private static Optional<Criterion> unsupported(FieldErrors errors) {
    return errors.refuse(
        "is not supported, and ignoring it could allow requests that the policy denies");
  }
}
