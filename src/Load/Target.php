<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A valid HTTP address.
 */
final readonly class Target
{
    // A fragment is never sent to a server.
    private const URL = '~\Ahttp(?<tls>s?)://(?<host>\[[0-9a-f:.]+\]|[^\x00-\x20\x7f/?#@:\[\]]+)'
        .'(?::(?<port>\d{1,5}))?(?<path>[/?][^\x00-\x20\x7f#]*)?\z~i';

    private const MAX_PORT = 65_535;

    /**
     * @param non-empty-string $url
     * @param string $host without the brackets of an IPv6 address
     * @param string $path in the form of the request line
     * @param string $authority host and port in the form of the Host header
     * @param string $origin scheme, host and port: requests to the same origin can share a connection
     */
    private function __construct(
        public string $url,
        public string $host,
        public string $path,
        public int $port,
        public bool $isTls,
        public string $authority,
        public string $origin,
    ) {}

    /** @throws InvalidPlan */
    public static function fromUrl(string $url): self
    {
        if ($url === '' || preg_match(self::URL, $url, $m) !== 1) {
            throw InvalidPlan::option(
                'url',
                $url,
                'an address like http://127.0.0.1:8000/path (http or https, no user name, no fragment, no spaces;'
                    ." write a space as '%20')",
            );
        }

        $host = self::ascii($m['host']) ?? throw InvalidPlan::option(
            'url',
            $url,
            "an address whose host is in ASCII (an international name as 'xn--...')",
        );
        $path = $m['path'] ?? '';
        $isTls = $m['tls'] !== '';
        $standard = $isTls ? 443 : 80;
        $port = ($m['port'] ?? '') === '' ? $standard : (int) $m['port'];

        if ($port < 1 || $port > self::MAX_PORT) {
            throw InvalidPlan::option('url', $url, 'an address whose port is from 1 to '.self::MAX_PORT);
        }

        $authority = $port === $standard ? $host : "{$host}:{$port}";

        return new self(
            $url,
            trim($host, '[]'),
            str_starts_with($path, '/') ? $path : "/{$path}",
            $port,
            $isTls,
            $authority,
            strtolower(($isTls ? 'https' : 'http')."://{$authority}"),
        );
    }

    /**
     * The prefix for the paths of a scenario or a log, without a slash at the end.
     *
     * @internal
     *
     * @throws InvalidPlan
     */
    public function base(): string
    {
        return str_contains($this->url, '?')
            ? throw InvalidPlan::option(
                'url',
                $this->url,
                'an address without a query, because paths are appended to it',
            )
            : rtrim($this->url, '/');
    }

    /**
     * A path with percent-encoding for characters that a path cannot contain. Existing percent-encoding stays.
     *
     * @internal
     */
    public static function encoded(string $path): string
    {
        return (string) preg_replace_callback(
            '/[^\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/',
            static fn (array $m): string => rawurlencode($m[0]),
            $path,
        );
    }

    /**
     * Such names are never looked up.
     *
     * @internal
     *
     * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
     */
    public static function isLocalhost(string $host): bool
    {
        return preg_match('/\A(?:[a-z0-9_.-]+\.)?localhost\z/i', $host) === 1;
    }

    /** Decided by the name, without a lookup. */
    public function isLoopback(): bool
    {
        $host = strtolower($this->host);

        return self::isLocalhost($host)
            || $host === '::1'
            || (str_starts_with($host, '127.') && filter_var($host, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4) !== false);
    }

    /** An international name in ASCII; null if it is invalid or PHP has no extension intl. */
    private static function ascii(string $host): ?string
    {
        if (preg_match('/[\x80-\xff]/', $host) !== 1) {
            return $host;
        }

        // The STD3 rules refuse characters that would become a slash or a question mark.
        $ascii = function_exists('idn_to_ascii')
            ? idn_to_ascii($host, IDNA_NONTRANSITIONAL_TO_ASCII | IDNA_USE_STD3_RULES)
            : false;

        return $ascii === false ? null : $ascii;
    }
}
