package io.outrigger.identity.certificate;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A certificate chain and the private key that matches its leaf.
 *
 * @param chain the certificates, leaf first, at least one
 */
public record Identity(List<X509Certificate> chain, PrivateKey key) {
  private static final byte[] SAMPLE = {1, 2, 3};

  public Identity {
    chain = List.copyOf(chain);
  }

  /**
   * Reads the certificate and the key; both may be in the same file. Blocks.
   *
   * @throws UnusableFile when a file cannot be used, or when certificate and key do not match
   *     (during a rotation, one file is old and the other is new, A29-13)
   */
  public static Identity read(String certificateFile, String privateKeyFile) throws UnusableFile {
    CredentialFile certificates = CredentialFile.read("certificate_file", certificateFile);
    return of(
        certificates,
        CertificateReader.read(certificates),
        privateKeyFile.equals(certificateFile)
            ? new CredentialFile("private_key_file", privateKeyFile, certificates.text())
            : CredentialFile.read("private_key_file", privateKeyFile));
  }

  public static Identity of(CredentialFile certificates, CredentialFile keys) throws UnusableFile {
    return of(certificates, CertificateReader.read(certificates), keys);
  }

  private static Identity of(
      CredentialFile certificates, List<X509Certificate> chain, CredentialFile keys)
      throws UnusableFile {
    PrivateKey key = PrivateKeyReader.read(keys);
    Optional<Identity> identity = of(chain, key);
    if (identity.isEmpty()) {
      boolean further =
          chain.stream().anyMatch(certificate -> isPair(key, certificate.getPublicKey()));
      throw UnusableFile.unfinished(
          keys.field(),
          keys.path(),
          "is not the key of "
              + certificates
              + (further ? ", whose own certificate must stand before those of its issuers" : ""));
    }
    return identity.get();
  }

  static Optional<Identity> of(List<X509Certificate> chain, PrivateKey key) {
    return isPair(key, chain.get(0).getPublicKey())
        ? Optional.of(new Identity(chain, key))
        : Optional.empty();
  }

  public X509Certificate leaf() {
    return chain.get(0);
  }

  public Instant expiry() {
    return firstToExpire().getNotAfter().toInstant();
  }

  Instant start() {
    return Collections.max(chain, Comparator.comparing(X509Certificate::getNotBefore))
        .getNotBefore()
        .toInstant();
  }

  /** Returns why peers refuse this identity at a given time; empty while it is valid. */
  Optional<String> invalidity(Instant now) {
    if (!now.isBefore(expiry())) {
      return Optional.of(
          "the %s has expired at %s; peers refuse it until it is renewed"
              .formatted(this, expiry()));
    }
    return now.isBefore(start())
        ? Optional.of(
            "the %s is not valid before %s; peers refuse it until then".formatted(this, start()))
        : Optional.empty();
  }

  X509Certificate firstToExpire() {
    return Collections.min(chain, Comparator.comparing(X509Certificate::getNotAfter));
  }

  private static boolean isPair(PrivateKey key, PublicKey of) {
    try {
      Signature signature = signature(key);
      signature.initSign(key);
      signature.update(SAMPLE);
      byte[] signed = signature.sign();
      signature.initVerify(of);
      signature.update(SAMPLE);
      return signature.verify(signed);
    } catch (GeneralSecurityException | RuntimeException noPair) { // a bad key may divide by zero
      return false;
    }
  }

  private static Signature signature(PrivateKey key) throws GeneralSecurityException {
    return switch (key.getAlgorithm()) {
      case "RSA" -> Signature.getInstance("SHA256withRSA");
      case "EC" -> Signature.getInstance("SHA256withECDSA");
      case "EdDSA", "Ed25519" -> Signature.getInstance("Ed25519");
      case "RSASSA-PSS" -> {
        Signature signature = Signature.getInstance("RSASSA-PSS");
        signature.setParameter(
            new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
        yield signature;
      }
      default -> throw new InvalidKeyException(key.getAlgorithm());
    };
  }

  /** Omits the private key, which some security providers print in full. */
  @Override
  public String toString() {
    return "identity of " + CertificateNames.shown(leaf());
  }
}
