package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.AuditLoggingOptions;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.AuditLoggingOptions.AuditLoggerConfig;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBACPerRoute;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.rbac.Rbac.Action;
import io.outrigger.config.rbac.Rbac.Audit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Decodes the RBAC filter and its overrides (A41), and its audit loggers (A59). Every part that the
 * decoder does not understand is an error, because ignoring the part could let in a request that
 * the policy keeps out (decision xds-0075). Shadow rules and statistics, which let nothing in, are
 * ignored.
 */
final class RbacDecoder extends FilterDecoder {
  static final String TYPE = "envoy.extensions.filters.http.rbac.v3.RBAC";
  static final String OVERRIDE_TYPE = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute";
  static final String STDOUT_LOGGER =
      "envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog";

  RbacDecoder() {
    super(TYPE, Rbac.class);
  }

  @Override
  String overrideTypeName() {
    return OVERRIDE_TYPE;
  }

  @Override
  Optional<Rbac> decode(TypedConfig config, FieldErrors errors) {
    return config
        .read(io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC.getDefaultInstance(), errors)
        .map(proto -> filter(proto, errors));
  }

  /** Decodes an override. Without {@code rbac} it switches the filter off. */
  @Override
  Optional<Rbac> decodeOverride(TypedConfig config, FieldErrors errors) {
    return config
        .read(RBACPerRoute.getDefaultInstance(), errors)
        .map(proto -> filter(proto.getRbac(), errors.at("rbac")));
  }

  private static Rbac filter(
      io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC proto, FieldErrors errors) {
    if (proto.hasMatcher()) {
      errors.at("matcher").add("is not supported; use rules");
    }
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
    Audit audit = audit(proto.getAuditLoggingOptions(), errors.at("audit_logging_options"));
    return new Rbac(Optional.of(new Rbac.Rules(action, policies, audit)));
  }

  private static Rbac.Policy policy(String name, Policy proto, FieldErrors errors) {
    if (proto.hasCondition()) {
      errors.at("condition").add("is not supported; express it by permissions and principals");
    }
    if (proto.hasCheckedCondition()) {
      errors
          .at("checked_condition")
          .add("is not supported; express it by permissions and principals");
    }
    if (!proto.getUnknownFields().asMap().isEmpty()) {
      errors.add("has unknown fields: " + proto.getUnknownFields().asMap().keySet());
    }
    return new Rbac.Policy(
        name,
        Criterion.any(
            CriterionDecoder.permissions(proto.getPermissionsList(), "permissions", errors)),
        Criterion.any(
            CriterionDecoder.principals(proto.getPrincipalsList(), "principals", errors)));
  }

  private static Audit audit(AuditLoggingOptions proto, FieldErrors errors) {
    int loggers = 0;
    for (int i = 0; i < proto.getLoggerConfigsCount(); i++) {
      AuditLoggerConfig logger = proto.getLoggerConfigs(i);
      FieldErrors here = errors.at("logger_configs", i).at("audit_logger").at("typed_config");
      Optional<TypedConfig> typed = TypedConfig.of(logger.getAuditLogger().getTypedConfig(), here);
      if (typed.isPresent() && typed.get().typeName().equals(STDOUT_LOGGER)) {
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
}
