<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Core\Clock;
use Headroom\Load\Target;
use Headroom\Support\TerminalText;
use OpenSSLCertificate;

/**
 * The certificate of a server that was not accepted. PHP does not pass on OpenSSL's reason, so a second connection
 * fetches the certificate.
 *
 * @internal
 */
final readonly class ServerCertificate
{
    private const SECONDS = 2.0;

    private const NAMES = 3;

    private const SHOWN_BYTES = 60;

    /** @param array<array-key, mixed> $fields as openssl_x509_parse() returns them */
    private function __construct(private array $fields, private int $chain) {}

    /** @return ?self null when the server sends none */
    public static function ofServer(Target $target, Clock $clock): ?self
    {
        try {
            $addresses = (new HostResolver($clock))->addresses($target->host);
        } catch (UnableToExchange) {
            return null;
        }

        foreach ($addresses as $address) {
            $certificate = self::at($address, $target);

            if ($certificate !== null) {
                return $certificate;
            }
        }

        return null;
    }

    private static function at(string $address, Target $target): ?self
    {
        $name = TlsFailure::serverName($target);
        $context = stream_context_create(['ssl' => [
            'verify_peer' => false, 'verify_peer_name' => false, 'allow_self_signed' => true,
            'capture_peer_cert' => true, 'capture_peer_cert_chain' => true,
            'peer_name' => $name ?? $target->host, 'SNI_enabled' => $name !== null,
        ]]);
        $stream = @stream_socket_client(
            "ssl://{$address}:{$target->port}",
            $errno,
            $reason,
            self::SECONDS,
            STREAM_CLIENT_CONNECT,
            $context,
        );

        if ($stream === false) {
            return null;
        }

        $given = stream_context_get_options($context)['ssl'] ?? [];
        $options = is_array($given) ? $given : [];
        fclose($stream);
        $certificate = $options['peer_certificate'] ?? null;
        $fields = $certificate instanceof OpenSSLCertificate ? openssl_x509_parse($certificate) : false;
        $chain = $options['peer_certificate_chain'] ?? [];

        return $fields === false ? null : new self($fields, is_array($chain) ? count($chain) : 1);
    }

    /** The reason when the certificate has another name. */
    public function isForOthers(string $host): string
    {
        return "the certificate is for {$this->names()} and not for {$host}";
    }

    public function isExpired(Clock $clock): bool
    {
        return ($this->time('validTo_time_t') ?? PHP_INT_MAX) < $clock->now()->getTimestamp();
    }

    /** The reason why the certificate is not trusted. */
    public function words(Clock $clock): string
    {
        $now = $clock->now()->getTimestamp();
        $until = $this->time('validTo_time_t');
        $from = $this->time('validFrom_time_t');

        return 'the certificate for '.$this->names().' '.match (true) {
            $until !== null && $until < $now => 'expired on '.gmdate('Y-m-d', $until),
            $from !== null && $from > $now => 'is not valid before '.gmdate('Y-m-d', $from),
            $this->name('subject') === $this->name('issuer') => 'is self-signed',
            default => "is by '{$this->name('issuer')}', which is not trusted here"
                .($this->chain < 2 ? ' (the server sent no certificate of it)' : ''),
        };
    }

    private function names(): string
    {
        $extensions = $this->fields['extensions'] ?? [];
        $given = is_array($extensions) ? $extensions['subjectAltName'] ?? '' : '';
        preg_match_all('/(?:DNS|IP Address):([^,\s]+)/', is_string($given) ? $given : '', $found);
        $names = $found[1] === [] ? [$this->name('subject')] : $found[1];
        $more = count($names) - self::NAMES;

        return TerminalText::name(implode(', ', array_slice($names, 0, self::NAMES)), self::SHOWN_BYTES)
            .($more > 0 ? " and {$more} more" : '');
    }

    private function name(string $of): string
    {
        $party = $this->fields[$of] ?? [];
        $name = is_array($party) ? $party['CN'] ?? $party['O'] ?? '' : '';

        $names = array_filter(is_array($name) ? $name : [$name], is_string(...));

        return TerminalText::name(implode(', ', $names), self::SHOWN_BYTES);
    }

    private function time(string $field): ?int
    {
        $time = $this->fields[$field] ?? null;

        return is_int($time) ? $time : null;
    }
}
