<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use Closure;
use Headroom\Collector\Ingest\CorsPolicy;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;
use Headroom\Support\WebhookSignature;

use function base64_decode;
use function explode;
use function intdiv;
use function str_contains;
use function strcasecmp;
use function strstr;
use function substr;
use function trim;
use function urldecode;

/**
 * Who sends a request.
 *
 * @internal
 */
final readonly class Authenticator
{
    private const RETRY_SECONDS = 10;

    public function __construct(private IngestSettings $settings, private ApiKeyCache $ring) {}

    /**
     * @param int $now microseconds since the Unix epoch
     * @param ?Closure(): ?string $inBody finds a key that only the body has
     * @return ?ApiKey null: nobody asks who it is
     *
     * @throws RequestError
     */
    public function authenticate(Request $request, int $now, ?Closure $inBody): ?ApiKey
    {
        $seconds = intdiv($now, 1_000_000);
        $token = self::token($request) ?? ($inBody === null ? null : $inBody());

        if ($token === null && $this->settings->webhooks !== [] && $request->header('webhook-signature') !== null) {
            return $this->signer($request, $seconds);
        }

        if (! $this->settings->isAuthenticated) {
            // A key is of use all the same: it names who sends.
            return $token === null ? null : $this->known($this->ring->find($token, $now), $request, $seconds);
        }

        if ($token === null) {
            throw RequestError::noKey();
        }

        $key = $this->ring->find($token, $now)
            ?? throw ($this->ring->trouble === null
                ? RequestError::unknownKey()
                : RequestError::keysUnavailable(self::RETRY_SECONDS));

        return $this->known($key, $request, $seconds);
    }

    /** @throws RequestError */
    private function known(?ApiKey $key, Request $request, int $seconds): ?ApiKey
    {
        if ($key === null) {
            return null;
        }

        if ($key->revoked !== null) {
            throw RequestError::revokedKey($key->name);
        }

        if ($key->expires !== null && $seconds >= $key->expires) {
            throw RequestError::expiredKey($key->name, gmdate('Y-m-d\TH:i:s\Z', $key->expires));
        }

        if ($key->origins !== null) {
            $origin = CorsPolicy::originOf($request);

            if ($origin === null || ! (new CorsPolicy($key->origins))->allows($origin)) {
                throw RequestError::origin($origin);
            }
        }

        return $key;
    }

    /** @throws RequestError */
    private function signer(Request $request, int $seconds): ApiKey
    {
        $signer = null;

        // Each is asked, so that the time it takes does not tell who it was.
        foreach ($this->settings->webhooks as $name => $secrets) {
            $isGenuine = WebhookSignature::isGenuine(
                $secrets,
                $request->headers['webhook-id'] ?? '',
                $request->headers['webhook-timestamp'] ?? '',
                $request->headers['webhook-signature'] ?? '',
                $request->body,
                $seconds,
                $this->settings->tolerance,
            );
            $signer ??= $isGenuine ? new ApiKey($name, $name) : null;
        }

        return $signer ?? throw RequestError::badSignature();
    }

    private static function token(Request $request): ?string
    {
        $authorization = $request->headers['authorization'] ?? '';

        if ($authorization !== '') {
            $scheme = strstr($authorization, ' ', true);
            $given = trim(substr($authorization, strlen((string) $scheme)));

            if ($scheme !== false && strcasecmp($scheme, 'bearer') === 0) {
                return $given;
            }

            if ($scheme !== false && strcasecmp($scheme, 'basic') === 0) {
                // The key is the user; some clients make it the password.
                [$user, $password] = explode(':', (string) base64_decode($given, true), 2) + [1 => ''];

                return $user !== '' ? $user : $password;
            }
        }

        return $request->headers['x-write-key'] ?? self::inQuery($request->query);
    }

    private static function inQuery(string $query): ?string
    {
        if (! str_contains($query, 'access_token') && ! str_contains($query, 'writeKey')) {
            return null;
        }

        $token = null;

        // parse_str() stops at max_input_vars with a warning, which frameworks throw.
        foreach (explode('&', $query) as $member) {
            [$name, $value] = explode('=', $member, 2) + [1 => ''];

            if ($name === 'access_token' || ($name === 'writeKey' && $token === null)) {
                $token = urldecode($value);
            }

            if ($name === 'access_token') {
                break;
            }
        }

        return $token;
    }
}
