<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Access;

use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Encryption\Encrypter;

/**
 * Signs tokens with the key of the application, and checks them without a session or a database. A token for one
 * purpose is not valid for another.
 *
 * @internal
 */
final readonly class AccessTokens
{
    private const MAX_BYTES = 1_024;

    public function __construct(private Encrypter $encrypter, private SpoolServices $spool) {}

    public function fresh(?string $user = null): AccessToken
    {
        return new AccessToken($this->now() + AccessToken::SECONDS, $user);
    }

    public function sign(string $purpose, AccessToken $token): string
    {
        $content = self::encode(json_encode([$token->expires, $token->user], JSON_THROW_ON_ERROR));

        return "{$content}.".self::encode(self::code($purpose, $content, $this->encrypter->getKey()));
    }

    /** @return ?AccessToken null for a token that was altered, has expired, or was signed for another purpose */
    public function verify(string $purpose, string $text): ?AccessToken
    {
        if (strlen($text) > self::MAX_BYTES || preg_match('/\A([\w-]+)\.([\w-]+)\z/', $text, $m) !== 1) {
            return null;
        }

        foreach ($this->encrypter->getAllKeys() as $key) {
            if (is_string($key) && hash_equals(self::encode(self::code($purpose, $m[1], $key)), $m[2])) {
                return $this->read($m[1]);
            }
        }

        return null;
    }

    private function read(string $content): ?AccessToken
    {
        $values = json_decode((string) base64_decode(strtr($content, '-_', '+/'), true), true);
        [$expires, $user] = is_array($values) ? [$values[0] ?? null, $values[1] ?? null] : [null, null];
        $now = $this->now();

        // A token from the future was signed before the clock was set back, and would be valid for longer.
        return is_int($expires) && $expires > $now && $expires <= $now + AccessToken::SECONDS
            ? new AccessToken($expires, is_string($user) ? $user : null)
            : null;
    }

    private static function code(string $purpose, string $content, string $key): string
    {
        return hash_hmac('sha256', "headroom.dashboard.{$purpose}:{$content}", $key, true);
    }

    private static function encode(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }

    private function now(): int
    {
        return intdiv($this->spool->clock()->micros(), 1_000_000);
    }
}
