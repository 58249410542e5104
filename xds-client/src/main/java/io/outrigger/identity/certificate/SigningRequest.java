package io.outrigger.identity.certificate;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Optional;

/**
 * A fresh key pair on P-256, and the request to a CA for its certificate (PKCS #10, RFC 2986).
 *
 * @param pair the key pair; its private key is only in memory
 */
record SigningRequest(KeyPair pair) {
  private static final Der ECDSA_WITH_SHA256 =
      Der.of(Der.SEQUENCE, Der.oid("2A8648CE3D040302")); // RFC 5758 section 3.2

  private static final Der EXTENSION_REQUEST = Der.oid("2A864886F70D01090E"); // RFC 2985 5.4.2
  private static final Der ALTERNATIVE_NAME = Der.oid("551D11"); // RFC 5280 section 4.2.1.6
  private static final Der CRITICAL = new Der(Der.BOOLEAN, new byte[] {-1});

  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  static SigningRequest fresh() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return new SigningRequest(generator.generateKeyPair());
    } catch (GeneralSecurityException impossible) { // every JDK has the algorithm
      throw new IllegalStateException("EC P-256 does not work in this JDK", impossible);
    }
  }

  PrivateKey key() {
    return pair.getPrivate();
  }

  /** Returns the signing request in PEM. Without a URI, the CA chooses the names. */
  String pem(Optional<String> uri) {
    Der subject = Der.of(Der.SEQUENCE);
    Der attributes = uri.map(SigningRequest::named).orElseGet(() -> Der.of(Der.CONTEXT_0));
    Der publicKey = Der.parse(pair.getPublic().getEncoded());
    Der info = Der.of(Der.SEQUENCE, Der.zero(), subject, publicKey, attributes);
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate());
      signature.update(info.bytes());
      return pem(Der.of(Der.SEQUENCE, info, ECDSA_WITH_SHA256, Der.bits(signature.sign())).bytes());
    } catch (GeneralSecurityException impossible) { // every JDK has the algorithm
      throw new IllegalStateException("EC P-256 does not work in this JDK", impossible);
    }
  }

  /**
   * Returns the attributes that request the URI as an alternative name. The name is critical,
   * because the request has no subject.
   */
  private static Der named(String uri) {
    Der name = new Der(Der.CONTEXT_URI, uri.getBytes(StandardCharsets.US_ASCII));
    Der names = new Der(Der.OCTET_STRING, Der.of(Der.SEQUENCE, name).bytes());
    Der extension = Der.of(Der.SEQUENCE, ALTERNATIVE_NAME, CRITICAL, names);
    Der extensions = Der.of(Der.SET, Der.of(Der.SEQUENCE, extension));
    return Der.of(Der.CONTEXT_0, Der.of(Der.SEQUENCE, EXTENSION_REQUEST, extensions));
  }

  private static String pem(byte[] der) {
    return "-----BEGIN CERTIFICATE REQUEST-----\n%s\n-----END CERTIFICATE REQUEST-----\n"
        .formatted(LINES.encodeToString(der));
  }
}
