<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * What a bucket's settings `headers` and `auth` add to a request. Nothing of a secret gets into a message.
 *
 * @internal
 */
final readonly class HeaderOptions
{
    private const TEXT = 'a non-empty string without control characters';

    private const AUTH = "one of ['basic' => 'user:password'], ['api_key' => 'the encoded key'], ['bearer' => 'the token']";

    /**
     * @param list<string> $ours in small letters: what the sink says itself, and what belongs to the connection
     * @param array<string, string> $defaults sent unless the settings have the same, by any spelling of their names
     * @return array<string, string>
     *
     * @throws InvalidConfig without the values
     */
    public static function read(ConfigReader $options, array $ours, array $defaults): array
    {
        try {
            $given = $options->section('headers');
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, "an array by name, such as ['Authorization' => 'Bearer …']");
        }

        $headers = array_filter($defaults, static fn (string $name): bool => ! in_array(strtolower($name), array_map(strtolower(...), $given->keys()), true), ARRAY_FILTER_USE_KEY);

        foreach ($given->keys() as $name) {
            if (preg_match('/\A[A-Za-z0-9!#$%&\'*+.^_`|~-]+\z/', $name) !== 1 || ctype_digit($name) || in_array(strtolower($name), $ours, true)) {
                throw InvalidConfig::unknownKey("{$given->path}.{$name}", ['any header but '.implode(', ', $ours)]);
            }

            $headers[$name] = self::text($given, $name);
        }

        return $headers;
    }

    /**
     * @return array<string, string> the header Authorization, or none
     *
     * @throws InvalidConfig without the value
     */
    public static function auth(ConfigReader $options): array
    {
        // A variable that is not set is null here, and must not mean that nobody asks for a key.
        if (! in_array('auth', $options->keys(), true)) {
            return [];
        }

        try {
            $auth = $options->section('auth');
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, self::AUTH);
        }

        [$kind] = [...$auth->keys(), ''];

        if (count($auth->keys()) !== 1) {
            throw InvalidConfig::notShown($auth->path, self::AUTH);
        }

        return ['Authorization' => match ($kind) {
            'basic' => 'Basic '.base64_encode(self::text($auth, $kind)),
            'api_key' => 'ApiKey '.self::text($auth, $kind),
            'bearer' => 'Bearer '.self::text($auth, $kind),
            default => throw InvalidConfig::notShown($auth->path, self::AUTH),
        }];
    }

    private static function text(ConfigReader $options, string $name): string
    {
        try {
            $text = $options->string($name);
        } catch (InvalidConfig $e) {
            throw InvalidConfig::notShown($e->key, self::TEXT);
        }

        return preg_match('/[\x00-\x08\x0A-\x1F\x7F]/', $text) === 1 ? throw InvalidConfig::notShown("{$options->path}.{$name}", self::TEXT) : $text;
    }
}
