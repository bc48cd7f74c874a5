<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Core\Clock;
use Headroom\Load\Target;

/**
 * Why a TLS handshake failed, from the warnings of PHP's streams: the first warning has the reason.
 *
 * @internal
 */
final readonly class TlsFailure
{
    private const PREFIX = '/^(?:SSL operation failed .*?messages: |\w+\(\): |SSL: )+/';

    private const ERROR = '/error:(?<code>[0-9A-F]{8}):[^:]*:[^:]*:(?<words>[^:]+)\z/';

    /** OpenSSL reports alert N of the peer as reason 1000 + N: ERR_GET_REASON() and SSL_AD_REASON_OFFSET. */
    private const REASON_MASK = 0xFFF;

    private const ALERTS = [1_000, 1_255];

    /** The next step for alerts of RFC 8446, section 6.2, that are not about trust. */
    private const STEPS = [
        40 => 'The server accepts no version, cipher or name that was offered',
        70 => 'The server wants another TLS version',
        80 => 'Servers send it for a name that they do not serve: use their name in the URL',
        112 => 'The server does not serve this name: use its name in the URL',
        42 => 'The server wants a client certificate, and load sends none',
        116 => 'The server wants a client certificate, and load sends none',
        120 => 'The server speaks no HTTP/1.1 here',
    ];

    private const NO_TLS = 'wrong version number';

    private const UNTRUSTED = 'certificate verify failed';

    private function __construct(private string $reason, public ?int $alert) {}

    /** @param list<string> $warnings */
    public static function of(array $warnings): self
    {
        $first = trim((string) preg_replace(['/\s+/', self::PREFIX], [' ', ''], $warnings[0] ?? ''));

        if (preg_match(self::ERROR, $first, $m) !== 1) {
            return new self($first, null);
        }

        $reason = (int) hexdec($m['code']) & self::REASON_MASK;
        $isAlert = $reason >= self::ALERTS[0] && $reason <= self::ALERTS[1];

        return new self($m['words'], $isAlert ? $reason - self::ALERTS[0] : null);
    }

    /** The server name of the handshake; an IP address is not allowed there (RFC 6066, section 3). */
    public static function serverName(Target $target): ?string
    {
        // A certificate's name has no dot at its end.
        return filter_var($target->host, FILTER_VALIDATE_IP) === false ? rtrim($target->host, '.') : null;
    }

    /** As message(), with a description of the certificate. */
    public function about(Target $target, ServerCertificate $certificate, Clock $clock): string
    {
        return match (true) {
            $this->reason !== self::UNTRUSTED => $this->sentence(
                $target,
                $certificate->isForOthers($target->host),
                $this->step(),
            ),
            $certificate->isExpired($clock) => $this->sentence(
                $target,
                $certificate->words($clock),
                'Renew it, or accept it with --insecure',
            ),
            default => $this->sentence($target, $certificate->words($clock), $this->step()),
        };
    }

    public function message(Target $target): string
    {
        return $this->sentence($target, $this->seen(), $this->step());
    }

    private function sentence(Target $target, string $seen, string $step): string
    {
        $name = self::serverName($target);
        $sent = $name === null ? 'no server name sent, as the host is an IP address' : "server name sent: {$name}";

        return "TLS with {$target->host}:{$target->port} ({$sent}): {$seen}".($step === '' ? '' : ". {$step}");
    }

    /** Whether the certificate explains the failure. */
    public function isOfCertificate(): bool
    {
        return $this->reason === self::UNTRUSTED || str_starts_with($this->reason, 'Peer certificate');
    }

    private function seen(): string
    {
        return match (true) {
            $this->alert !== null => "the server answered with alert {$this->alert}, "
                .preg_replace('/^(?:sslv3|tlsv\d+) (?:alert )?/', '', $this->reason),
            $this->reason === '' => 'the server closed the connection during the handshake',
            $this->reason === self::NO_TLS => 'wrong version number, so the server does not speak TLS at this port',
            default => $this->reason,
        };
    }

    private function step(): string
    {
        return match (true) {
            $this->alert !== null => self::STEPS[$this->alert] ?? '',
            $this->reason
                === self::UNTRUSTED => 'Name the file of its authority in SSL_CERT_FILE, or accept it with --insecure',
            $this->isOfCertificate() => 'Use a name of the certificate in the URL, or accept it with --insecure',
            default => '',
        };
    }
}
