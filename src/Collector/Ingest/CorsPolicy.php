<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\Request;

use function in_array;
use function preg_match;

/**
 * Which web pages may send events. The response repeats the origin instead of '*', because sendBeacon() always sends
 * credentials. That is safe: a browser never adds an API key by itself.
 *
 * @internal
 */
final readonly class CorsPolicy
{
    private const EXPOSED = 'Retry-After, RateLimit, RateLimit-Policy';

    private const MAX_AGE_SECONDS = '7200';

    /** @param list<string> $allowed '*' is any origin, 'https://*.example.com' any subdomain */
    public function __construct(private array $allowed) {}

    /** @return ?string also of the page of an image, for which browsers send no Origin */
    public static function originOf(Request $request): ?string
    {
        $origin = $request->headers['origin'] ?? null;

        return $origin !== null
                || $request->method !== 'GET'
                || preg_match('~\Ahttps?://[^/?#\s]+~i', $request->headers['referer'] ?? '', $page) !== 1
            ? $origin
            : $page[0];
    }

    public function allows(string $origin): bool
    {
        if (in_array('*', $this->allowed, true) || in_array($origin, $this->allowed, true)) {
            return true;
        }

        foreach ($this->allowed as $pattern) {
            [$scheme, $host] = explode('://*.', $pattern, 2) + [1 => ''];

            if (
                $host !== ''
                && preg_match('~\A'.preg_quote($scheme, '~').'://[a-z0-9.-]+\.'.preg_quote($host, '~').'\z~i', $origin)
                    === 1
            ) {
                return true;
            }
        }

        return false;
    }

    /** @return array<string, string> headers of the response */
    public function headers(Request $request): array
    {
        $origin = $request->headers['origin'] ?? null;

        if ($origin === null) {
            return [];
        }

        return $this->isSafe($origin) && $this->allows($origin)
            ? [
                'Access-Control-Allow-Origin' => $origin,
                'Access-Control-Allow-Credentials' => 'true',
                'Access-Control-Expose-Headers' => self::EXPOSED,
                'Vary' => 'Origin',
            ]
            : ['Vary' => 'Origin'];
    }

    /**
     * @param list<string> $methods
     * @return array<string, string>
     */
    public function preflight(Request $request, array $methods): array
    {
        $headers = $this->headers($request);

        return isset($headers['Access-Control-Allow-Origin']) ? [...$headers,
            'Access-Control-Allow-Methods' => implode(', ', $methods),
            'Access-Control-Allow-Headers' =>
                'Authorization, Content-Encoding, Content-Type, Idempotency-Key, Prefer, X-Write-Key',
            'Access-Control-Max-Age' => self::MAX_AGE_SECONDS,
        ] : $headers;
    }

    /** The response repeats it in a header. */
    private function isSafe(string $origin): bool
    {
        return preg_match('/\A[\x21-\x7E]{1,255}\z/', $origin) === 1;
    }
}
