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
 * Identifies the sender of a request by its API key or its webhook signature.
 *
 * @internal
 */
final readonly class Authenticator
{
    private const RETRY_SECONDS = 10;

    public function __construct(private IngestSettings $settings, private ApiKeyCache $keys) {}

    /**
     * @param int $now microseconds since the Unix epoch
     * @param ?Closure(): ?string $keyInBody finds a key that only the body has
     * @return ?ApiKey null: the collector does not require a key, and the request has none
     *
     * @throws RequestError
     */
    public function authenticate(Request $request, int $now, ?Closure $keyInBody): ?ApiKey
    {
        $seconds = intdiv($now, 1_000_000);
        $token = self::token($request) ?? ($keyInBody === null ? null : $keyInBody());

        if ($token === null && $this->settings->webhooks !== [] && $request->header('webhook-signature') !== null) {
            return $this->webhookSender($request, $seconds);
        }

        if (! $this->settings->isAuthenticated) {
            // A known key still names the sender.
            return $token === null ? null : $this->valid($this->keys->find($token, $now), $request, $seconds);
        }

        if ($token === null) {
            throw RequestError::noKey();
        }

        $key = $this->keys->find($token, $now)
            ?? throw ($this->keys->failure === null
                ? RequestError::unknownKey()
                : RequestError::keysUnavailable(self::RETRY_SECONDS));

        return $this->valid($key, $request, $seconds);
    }

    /** @throws RequestError */
    private function valid(?ApiKey $key, Request $request, int $seconds): ?ApiKey
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
    private function webhookSender(Request $request, int $seconds): ApiKey
    {
        $sender = null;

        // Verifies all secrets, so that the time does not reveal the matching one.
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
            $sender ??= $isGenuine ? new ApiKey($name, $name) : null;
        }

        return $sender ?? throw RequestError::badSignature();
    }

    private static function token(Request $request): ?string
    {
        $authorization = $request->headers['authorization'] ?? '';

        if ($authorization !== '') {
            $scheme = strstr($authorization, ' ', true);
            $credentials = trim(substr($authorization, strlen((string) $scheme)));

            if ($scheme !== false && strcasecmp($scheme, 'bearer') === 0) {
                return $credentials;
            }

            if ($scheme !== false && strcasecmp($scheme, 'basic') === 0) {
                // The key is the user name; some clients send it as the password.
                [$user, $password] = explode(':', (string) base64_decode($credentials, true), 2) + [1 => ''];

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

        // parse_str() stops at max_input_vars with a warning, which frameworks turn into an exception.
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
