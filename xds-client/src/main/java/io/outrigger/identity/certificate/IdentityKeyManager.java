package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * An {@link Identity} in the form that TLS libraries take. A server that asks for another type of
 * key, or names authorities of which none is in the chain, is shown nothing, as with the JDK's key
 * manager; that one asks for a key store, and to put a key into one costs more than a handshake.
 */
@AnyThread
public final class IdentityKeyManager extends X509ExtendedKeyManager {
  private static final String ALIAS = "identity";

  private final Identity identity;
  private final List<Principal> issuers;

  public IdentityKeyManager(Identity identity) {
    this.identity = identity;
    this.issuers =
        identity.chain().stream()
            .<Principal>map(X509Certificate::getIssuerX500Principal)
            .distinct()
            .toList();
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] authorities, @Nullable SSLEngine engine) {
    return isTrustedBy(authorities) && Arrays.stream(keyTypes).anyMatch(this::isOf) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] authorities, @Nullable Socket socket) {
    return chooseEngineClientAlias(keyTypes, authorities, null);
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] authorities) {
    String alias = chooseEngineClientAlias(new String[] {keyType}, authorities, null);
    return alias == null ? null : new String[] {alias};
  }

  /** No authorities are all. */
  private boolean isTrustedBy(Principal @Nullable [] authorities) {
    return authorities == null
        || authorities.length == 0
        || Stream.of(authorities).anyMatch(issuers::contains);
  }

  /**
   * @param keyType that of the key; until TLS 1.2 also, after an underscore, that of its issuer's
   */
  private boolean isOf(String keyType) {
    int end = keyType.indexOf('_');
    String own = end < 0 ? keyType : keyType.substring(0, end);
    return own.equals(identity.leaf().getPublicKey().getAlgorithm())
        && (end < 0 || isIssuedBy(keyType.substring(end + 1)));
  }

  private boolean isIssuedBy(String keyType) {
    return identity.chain().size() > 1
        ? keyType.equals(identity.chain().get(1).getPublicKey().getAlgorithm())
        : identity
            .leaf()
            .getSigAlgName()
            .toUpperCase(Locale.ROOT)
            .contains("WITH" + keyType.toUpperCase(Locale.ROOT));
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
    return ALIAS.equals(alias) ? identity.chain().toArray(X509Certificate[]::new) : null;
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
    return ALIAS.equals(alias) ? identity.key() : null;
  }

  /** Null, as nobody is served with it. */
  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] authorities, @Nullable Socket socket) {
    return null;
  }

  /** Null, as nobody is served with it. */
  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] authorities) {
    return null;
  }
}
